import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { attempt, type Verdict } from './attempt.ts';
import type { CaseId } from './cases/index.ts';
import { retentionCases } from './cases/retention.ts';
import { withoutSecrets } from './secrets.ts';
import type { Subject } from './subject.ts';

/** For a machine with much to do; a child takes about two seconds. */
export const CHILD_TIMEOUT_MS = 80_000;

type Verdicts = Map<CaseId, Verdict>;

/** Verdicts that a child has found, until they are asked for. */
const found = new WeakMap<Subject, Promise<Verdicts>>();

/**
 * The verdict of a case that measures its process, found in a child started with `--expose-gc`. One child does all
 * these cases of a subject; a verdict is given once, so that a case that is repeated is measured again. Never rejects.
 */
export async function verdictInOwnProcess(
  subject: Subject,
  module: string | URL,
  id: CaseId,
): Promise<Verdict> {
  let verdicts = await started(subject, module);
  if (!verdicts.has(id)) {
    found.delete(subject);
    verdicts = await started(subject, module);
  }
  const verdict = verdicts.get(id) ?? { error: new Error(`${id} is no case with a process of its own`) };
  verdicts.delete(id);
  return verdict;
}

function started(subject: Subject, module: string | URL): Promise<Verdicts> {
  const running = found.get(subject) ?? verdictsOfChild(module);
  found.set(subject, running);
  return running;
}

async function verdictsOfChild(module: string | URL): Promise<Verdicts> {
  try {
    const reports = await run(module);
    return new Map(reports.map(({ id, ...report }) => [id, verdictOf(report)]));
  } catch (error) {
    return new Map(retentionCases.map(({ id }) => [id, { error }]));
  }
}

/** A verdict as it travels between processes. */
interface Report {
  readonly id: CaseId;
  readonly failure?: { readonly message: string; readonly stack?: string | undefined };
  readonly skip?: string;
}

function verdictOf({ failure, skip }: Omit<Report, 'id'>): Verdict {
  if (failure !== undefined) return { error: Object.assign(new Error(failure.message), failure) };
  return skip === undefined ? {} : { skip };
}

/** The child's side: this very file is loaded there, too. */
export async function measure(subject: unknown, module: string): Promise<readonly Report[]> {
  if (!isSubject(subject)) {
    throw new TypeError(
      `${module} must export the subject, { wire, create }; as default, or under the name behind "#".`,
    );
  }
  const reports: Report[] = [];
  for (const one of retentionCases) {
    const { error, skip } = await attempt(subject, one);
    const failure =
      error instanceof Error ? error : error === undefined ? undefined : { message: `${error}` };
    reports.push({
      id: one.id,
      ...(skip !== undefined && { skip }),
      ...(failure !== undefined && {
        failure: { message: failure.message, stack: (failure as Error).stack },
      }),
    });
  }
  return reports;
}

function isSubject(value: unknown): value is Subject {
  const { wire, create } = (value ?? {}) as Partial<Subject>;
  return typeof create === 'function' && typeof wire?.read === 'function';
}

/** What the child runs. Plain JavaScript: what it loads may be TypeScript, which Vite reads where a test runner has it. */
const MAIN = `
const { suite, module, name, vite } = JSON.parse(process.argv[1]);
let load = (url) => import(url);
if (vite !== undefined) {
  const { createServer } = await import(vite.from);
  const server = await createServer(vite.options);
  const { fileURLToPath } = await import('node:url');
  load = (url) => server.ssrLoadModule(fileURLToPath(url));
}
const { measure } = await load(suite);
const { [name]: subject } = await load(module);
process.once('disconnect', () => process.exit(1));
process.send(await measure(subject, module), () => process.exit(0));
`;

function run(given: string | URL): Promise<readonly Report[]> {
  const { href: module, hash } = withoutHash(given);
  const name = hash === '' ? 'default' : decodeURIComponent(hash.slice(1));
  // The child loads modules the way this process does.
  const vite = process.env['VITEST'] === undefined ? undefined : viteFor(module);
  const job = JSON.stringify({ suite: import.meta.url, module, name, vite });
  const inherited = process.execArgv.filter((flag) => !flag.startsWith('--inspect'));
  const args = [...inherited, '--expose-gc', '--input-type=module', '--eval', MAIN, job];
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-4_000);
      });
    }
    let reports: readonly Report[] | undefined;
    child.once('message', (message) => {
      reports = message as readonly Report[];
    });
    const timer = setTimeout(() => {
      said += `\nIt was ended after ${CHILD_TIMEOUT_MS} ms.`;
      child.kill('SIGKILL');
    }, CHILD_TIMEOUT_MS);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      if (reports !== undefined) return resolve(reports);
      const why = said.trim() === '' ? `It ended with code ${code} and said nothing.` : said.trim();
      reject(
        new Error(
          `The process that measures memory gave no result. It loads ${module}, which must be a file of its own that exports the subject and registers no tests.\n${withoutSecrets(why)}`,
        ),
      );
    });
  });
}

function withoutHash(given: string | URL): { readonly href: string; readonly hash: string } {
  const url = new URL(given);
  if (url.protocol !== 'file:') {
    throw new TypeError(`module must be the file: URL of a file, such as import.meta.url; got ${url}`);
  }
  const { hash } = url;
  url.hash = '';
  // A test runner may put a version behind the name of the file.
  url.search = '';
  return { href: url.href, hash };
}

/** The Vite of the test runner, and a server without a port, configured as the runner is. */
function viteFor(module: string): { readonly from: string; readonly options: object } {
  const vitest = createRequire(import.meta.url).resolve('vitest/package.json');
  const config = configAbove(fileURLToPath(module));
  return {
    from: pathToFileURL(createRequire(vitest).resolve('vite')).href,
    options: {
      configFile: config ?? false,
      root: config === undefined ? process.cwd() : dirname(config),
      mode: 'test',
      appType: 'custom',
      logLevel: 'error',
      server: { middlewareMode: true, ws: false, hmr: false, watch: null },
      optimizeDeps: { noDiscovery: true, include: [] },
    },
  };
}

function configAbove(file: string): string | undefined {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    for (const name of ['vitest', 'vite'])
      for (const extension of ['ts', 'mts', 'cts', 'js', 'mjs', 'cjs']) {
        const config = join(folder, `${name}.config.${extension}`);
        if (existsSync(config)) return config;
      }
    if (folder === dirname(folder)) return undefined;
  }
}
