import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { median } from '../src/measure.js';
import { heading, report } from '../src/report.js';

const here = fileURLToPath(new URL('..', import.meta.url));
const ADAPTERS = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'];

/** Time to import, before anything is used; and core's size. */
export async function weight({ quick }) {
  heading('Weight');
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(import.meta.resolve('@glassloop/core'))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    write: false,
  });
  report(
    '@glassloop/core minified and gzipped',
    gzipSync(outputFiles[0].contents, { level: 9 }).length / 1024,
    {
      target: 12,
      unit: ' KB',
    },
  );
  const modules = [
    '@glassloop/core',
    '@glassloop/node-fetch',
    ...ADAPTERS.map((name) => `@glassloop/${name}`),
  ];
  // A module of a package like the others, with nothing in it: what the loader itself costs is no module's fault.
  const nothing = new URL('../src/empty.js', import.meta.url).href;
  const times = Object.fromEntries([nothing, ...modules].map((name) => [name, []]));
  for (let turn = 0; turn < (quick ? 3 : 9); turn++)
    for (const name of Object.keys(times)) {
      const code = `const t = performance.now(); await import('${name}'); console.log(performance.now() - t)`;
      times[name].push(
        Number(
          execFileSync(process.execPath, ['--input-type=module', '-e', code], {
            cwd: here,
            encoding: 'utf8',
          }),
        ),
      );
    }
  const empty = times[nothing];
  for (const name of modules)
    report(
      `import of ${name}, over an empty module`,
      median(times[name].map((time, turn) => time - empty[turn])),
      {
        target: name === '@glassloop/core' ? 10 : 25,
        unit: ' ms',
      },
    );
}
