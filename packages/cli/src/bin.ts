#!/usr/bin/env node
import { main } from './index.ts';

const exitCode = await main(process.argv.slice(2));
process.exitCode = exitCode;

/** A tool or a socket that never ends must not keep a finished command alive; what was written may still leave. */
function leave(): void {
  const { stdout } = process;
  if (stdout.writableLength > 0 && !stdout.destroyed) setTimeout(leave, 100).unref();
  else process.exit(exitCode);
}
setTimeout(leave, 1000).unref();
