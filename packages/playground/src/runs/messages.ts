import type { Message } from '@glassloop/core';
import type { StepLine } from '../protocol.ts';
import type { KnownRun } from './runs.ts';

/** All messages that the steps of a run added so far, in their order; ranges of request steps point into this list. */
export async function addedMessages({ rows, lines }: Pick<KnownRun, 'rows' | 'lines'>): Promise<Message[]> {
  const messages: Message[] = [];
  const reader = await lines.open();
  try {
    for (const { kind, seq } of rows) {
      if (kind !== 'assembled' && kind !== 'request') continue;
      const { step } = JSON.parse(await reader.read(seq)) as StepLine;
      if (step.kind === 'assembled' || step.kind === 'request') messages.push(...step.added);
    }
  } finally {
    await reader.close();
  }
  return messages;
}
