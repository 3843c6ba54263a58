import { conversations } from '@glassloop/conformance';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { openrouter } from '../src/index.ts';

const recorded = recordingsOf('openrouter');
// One network write per byte takes its time.
const short = streamsIn(recorded).filter(({ response }) => response.bodyText.length < 20_000);
// The stream that asks for the call has no finish reason, so the run ends as incomplete instead of calling.
const runs = conversations(recorded).filter(([first]) => !first?.id.includes('tools-streaming-variant-a'));

describeExchanges(openrouter, recorded);
describePieces(openrouter, short.slice(0, 8), [1]);
describeConversations(openrouter, runs);
