import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { ContentsOfFolder } from '../playground-contents.ts';
import { messageOf, Problem } from '../problem.ts';
import { visible } from '../render/text.ts';
import { collect, filled, wholeNumber } from './flags.ts';

interface PlaygroundFlags {
  readonly port?: number;
  readonly open?: true;
  readonly history: string | false;
  readonly unsafeRemote?: readonly string[];
  readonly host?: string;
}

const PORT = 4711;
const TOKEN_VARIABLE = 'GLASSLOOP_PLAYGROUND_TOKEN';

export function addPlayground(program: Command, context: Context, version: string): void {
  program
    .command('playground')
    .summary('run, watch and compare runs in a browser')
    .description(
      `Serves the playground on this machine and prints its address. Needs no key: it brings a demo model.\nThe address holds a token, new with every start (or ${TOKEN_VARIABLE}).`,
    )
    .option('--port <n>', `where to listen; 0: any free port (default: ${PORT})`, wholeNumber(0, 65_535))
    .option(
      '--open',
      'open the address in the browser; its command line, seen by all users here, holds the token',
    )
    .option('--history <folder>', 'where runs are kept', filled, '.glassloop/runs')
    .option('--no-history', 'keep runs in memory only, until the server stops')
    .option(
      '--unsafe-remote <host:port>',
      'answer to this Host header too, and listen on --host; may be repeated',
      collect,
    )
    .option('--host <address>', 'address to listen on, with --unsafe-remote (default: 127.0.0.1)', filled)
    .action((flags: PlaygroundFlags) => serve(flags, context, version));
}

async function serve(flags: PlaygroundFlags, context: Context, version: string): Promise<void> {
  const { output, env, cwd, secrets } = context;
  const { host = '127.0.0.1', unsafeRemote } = flags;
  if (flags.host !== undefined && unsafeRemote === undefined) {
    throw new Problem(
      2,
      'usage',
      '--host lets other machines in, so it needs --unsafe-remote with the Host headers that are trusted.',
      `For example: --host ${flags.host} --unsafe-remote ${flags.host}:${flags.port ?? PORT}`,
    );
  }
  const { startPlayground } = await import('@glassloop/playground');
  const contents = new ContentsOfFolder(context);
  const token = env[TOKEN_VARIABLE]?.trim();
  const playground = await startPlayground({
    contents: () => contents.load(),
    version,
    secrets: () => secrets,
    port: flags.port ?? PORT,
    ...(token === undefined || token === '' ? {} : { token }),
    ...(flags.history === false ? {} : { history: { folder: resolve(cwd, flags.history) } }),
    ...(unsafeRemote === undefined ? {} : { unsafeRemote: { host, trustedHosts: unsafeRemote } }),
    log: (line) => output.error([visible(line)]),
  }).catch((error: unknown) => {
    throw startProblem(error, flags);
  });
  output.result([
    `Playground: ${playground.url}`,
    flags.history === false
      ? 'Runs are kept in memory only.'
      : `Runs are kept in ${visible(flags.history)}/.`,
    'Ctrl+C stops it.',
  ]);
  if (flags.open) open(playground.url);
  await new Promise<void>((stop) => {
    context.onInterrupt(stop);
  });
  await playground.close();
  await contents.close();
}

function startProblem(error: unknown, flags: PlaygroundFlags): unknown {
  const { code } = error as { code?: unknown };
  if (code === 'EADDRINUSE') {
    return new Problem(
      1,
      'port',
      `Port ${flags.port ?? PORT} is taken, perhaps by another playground.`,
      'Name another with --port, or 0 for any free one.',
    );
  }
  if (error instanceof TypeError) return new Problem(2, 'usage', messageOf(error));
  return typeof code === 'string'
    ? new Problem(1, 'start', `The playground cannot start: ${messageOf(error)}`)
    : error;
}

/** Best effort: the address is printed in any case. */
function open(url: string): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  spawn(command!, args, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}
