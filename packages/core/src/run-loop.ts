import type { Run, RunResult } from './run.ts';
import type { RunTrace } from './run-trace.ts';

export async function runLoop(_run: Run, _trace?: RunTrace | null): Promise<RunResult> {
  throw new Error('being built');
}
