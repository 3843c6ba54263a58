/** Copied beside tool-loop.cjs: `node suite.mjs ADAPTER [DEVIATIONS]` runs the conformance suite over the installed adapter. */

import toolLoop from './tool-loop.cjs';

// Not by name: the door of the package also registers tests, which needs a test runner.
const { runCases } = await import(
  new URL('./node_modules/@glassloop/conformance/dist/run-cases.js', import.meta.url).href
);
const simulators = await import('@glassloop/simulator');
const [name, deviations = '{}'] = process.argv.slice(2);
const [wire, model] = toolLoop.ADAPTERS[name];
const { [name]: factory } = await import(`@glassloop/${name}`);

const subject = { wire: simulators[wire], create: (settings) => factory({ model, ...settings }) };
const options = { deviations: JSON.parse(deviations) };
let results = await runCases(subject, { ...options, concurrency: 10 });
// What fails beside others is asked again alone: some cases have timeouts of 80 ms, which a busy machine may miss.
for (let attempt = 0; attempt < 3; attempt++) {
  const again = new Set(results.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id));
  if (again.size === 0) break;
  const alone = await runCases(subject, { ...options, only: ({ id }) => again.has(id) });
  results = [...results.filter(({ id }) => !again.has(id)), ...alone];
}
const counts = { pass: 0, skip: 0, deviation: 0, fail: 0 };
for (const { outcome } of results) counts[outcome]++;
const failed = results
  .filter(({ outcome }) => outcome === 'fail')
  .map(({ id, error }) => `${id}: ${String(error?.message ?? error).slice(0, 200)}`);
console.log(`suite ${JSON.stringify({ counts, failed })}`);
process.exit();
