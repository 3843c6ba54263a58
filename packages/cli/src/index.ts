import { keyValues } from './adapters.ts';
import type { Context } from './context.ts';
import { Output } from './output.ts';
import { runProgram } from './program.ts';

/** Runs the command with this process's streams and environment. Returns the exit code; never throws. */
export async function main(argv: readonly string[]): Promise<number> {
  ignoreClosedPipes();
  const secrets = keyValues(process.env);
  const context: Context = {
    output: new Output({ stdout: process.stdout, stderr: process.stderr, env: process.env, secrets }),
    env: process.env,
    cwd: process.cwd(),
    secrets,
    readInput,
    onInterrupt,
  };
  return runProgram(argv, context);
}

/** `glassloop inspect run.ndjson | head` closes stdout early; that is no failure. */
function ignoreClosedPipes(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}

async function readInput(): Promise<string> {
  let text = '';
  for await (const piece of process.stdin.setEncoding('utf8')) text += piece;
  return text;
}

function onInterrupt(listener: () => void): () => void {
  let interrupted = false;
  const handle = (): void => {
    if (interrupted) process.exit(130);
    interrupted = true;
    listener();
  };
  process.on('SIGINT', handle);
  process.on('SIGTERM', handle);
  return () => {
    process.off('SIGINT', handle);
    process.off('SIGTERM', handle);
  };
}
