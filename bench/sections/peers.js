import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { sdkLoop } from '../src/by-hand.js';
import { startLoopback } from '../src/loopback.js';
import { glassloop, newTrace } from '../src/loops.js';
import { interleaved } from '../src/measure.js';
import { heading, report } from '../src/report.js';
import { pageText, parameters, question, tool } from '../src/work.js';

const FOLDER = join(tmpdir(), 'glassloop-bench-peers');
const PEERS = {
  'ai-sdk': 'AI SDK',
  langchain: 'LangChain.js',
  'openai-agents': 'OpenAI Agents JS',
  tanstack: 'TanStack AI',
};

/** The same work by other libraries, each with tracing off and retries off, over loopback, against the raw SDK loop. */
export async function peers({ seconds, rounds }) {
  const loops = await installed();
  // One of them adds listeners to one signal without end, and Node says so every time.
  process.removeAllListeners('warning');
  const server = await startLoopback();
  try {
    for (const count of rounds.filter((count) => count <= 200)) {
      for (const stream of [false, true]) {
        const plan = { rounds: count, calls: 1, resultBytes: 1000, stream };
        const work = { ...plan, baseURL: server.baseURL({ rounds: count, calls: 1 }) };
        const given = { work, question, parameters, description: tool.description, pageText };
        const variants = {
          sdk: sdkLoop(work),
          glassloop: glassloop(work),
          traced: glassloop(work, newTrace),
        };
        for (const [name, { loop }] of Object.entries(loops)) {
          const run = loop(given);
          const text = await run().catch((error) => String(error));
          if (text === 'Done.') variants[name] = run;
          else heading(`${PEERS[name]} did not finish ${count} rounds: ${String(text).slice(0, 200)}`);
        }
        const result = await interleaved(variants, {
          seconds: seconds(count >= 200 ? 40 : 20),
          base: 'sdk',
          perBlockMs: 150,
        });
        heading(
          `Peers, ${count} rounds of 1 KB, ${stream ? 'streamed' : 'whole'}: client CPU against the raw SDK loop (${(result.sdk.cpu.median / (count + 1)).toFixed(0)} µs a round)`,
        );
        const label = { glassloop: 'Glassloop', traced: 'Glassloop, trace', ...PEERS };
        for (const [name, { cpuRatio, wallRatio }] of Object.entries(result))
          if (name !== 'sdk') report(label[name], cpuRatio, { note: `wall ${wallRatio.median.toFixed(2)}` });
      }
    }
  } finally {
    server.stop();
  }
}

/** Installs what is missing, in a temporary folder that is kept for the next time. */
async function installed() {
  mkdirSync(FOLDER, { recursive: true });
  const source = fileURLToPath(new URL('../peers', import.meta.url));
  const files = readdirSync(source);
  for (const file of files) copyFileSync(join(source, file), join(FOLDER, file));
  const wanted = files.flatMap((file) => packagesOf(join(FOLDER, file)));
  const done = join(FOLDER, 'installed.json');
  const list = JSON.stringify([...new Set(wanted)].sort());
  if (!existsSync(done) || readFileSync(done, 'utf8') !== list) {
    console.log(`installing into ${FOLDER}: ${list}`);
    writeFileSync(join(FOLDER, 'package.json'), '{"private":true,"type":"module"}\n');
    execFileSync('npm', ['install', '--no-audit', '--no-fund', '--silent', ...JSON.parse(list)], {
      cwd: FOLDER,
      stdio: 'inherit',
    });
    writeFileSync(done, list);
  }
  const loops = {};
  for (const file of files)
    loops[file.replace('.mjs', '')] = await import(pathToFileURL(join(FOLDER, file)).href);
  return loops;
}

/** Read as text: importing would need the packages. */
function packagesOf(file) {
  const [, list = ''] = /export const packages = \[([^\]]*)\]/.exec(readFileSync(file, 'utf8')) ?? [];
  return [...list.matchAll(/'([^']+)'/g)].map(([, name]) => name);
}
