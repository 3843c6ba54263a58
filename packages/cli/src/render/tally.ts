import type { RunStep } from '@glassloop/core';

/** What the steps shown so far add up to. */
export class Tally {
  /** Messages added, so that the next ones are numbered over the whole run. */
  messages = 0;
  answers = 0;
  toolCalls = 0;
  /** Answers that came without token counts. */
  uncounted = 0;
  /** Warnings shown: each is worth one line in a run. */
  readonly warnings = new Set<string>();

  add(step: RunStep): void {
    if (step.kind === 'assembled' || step.kind === 'request') this.messages += step.added.length;
    if (step.kind === 'assembled' || step.kind === 'response') {
      for (const warning of step.warnings ?? []) this.warnings.add(warning);
    }
    if (step.kind === 'tool') this.toolCalls++;
    if (step.kind === 'response') {
      this.answers++;
      if (step.usage.promptTokens === undefined && step.usage.completionTokens === undefined)
        this.uncounted++;
    }
  }
}
