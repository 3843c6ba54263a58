import { conversations, type RecordedExchange, replayExchange } from '@glassloop/conformance';
import { expect, it } from 'vitest';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { groq } from '../src/index.ts';

const all = recordingsOf('groq');
// Recorded as errors, read as answers: tool-use-failed.test.ts has what becomes of them.
const isToolUseFailed = ({ response }: RecordedExchange) => response.bodyText.includes('tool_use_failed');
const recorded = all.filter((exchange) => !isToolUseFailed(exchange));
// One network write per byte takes its time.
const short = streamsIn(recorded).filter(({ response }) => response.bodyText.length < 20_000);

describeExchanges(groq, recorded);
describePieces(groq, short.slice(0, 8), [1]);
describeConversations(
  groq,
  conversations(all).filter((turns) => !turns.some(isToolUseFailed)),
);

it.each(all.filter(isToolUseFailed).map((exchange) => [exchange.id, exchange] as const))(
  '%s is an answer that holds the failed call',
  async (_, exchange) => {
    const fields = (await replayExchange(groq, exchange, { capture: true })).map(({ field }) => field);
    expect(fields.filter((field) => field !== 'content')).toEqual(['error', 'calls', 'rawFinishReason']);
  },
);
