#!/usr/bin/env node
import { main } from './index.ts';

const exitCode = await main(process.argv.slice(2));
process.exitCode = exitCode;
// A tool or a socket that never ends must not keep a finished command alive; output still has time to leave.
setTimeout(() => process.exit(exitCode), 1000).unref();
