import { conversations } from '@glassloop/conformance';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { openai } from '../src/index.ts';

const recorded = recordingsOf('openai');
// One network write per byte takes its time.
const short = streamsIn(recorded).filter(({ response }) => response.bodyText.length < 20_000);
// Its client sent the results in an order that the reader of requests refuses.
const runs = conversations(recorded).filter(([first]) => !first?.id.includes('multiple-tools-91374'));

describeExchanges(openai, recorded);
describePieces(openai, short.slice(0, 8), [1]);
describeConversations(openai, runs);
