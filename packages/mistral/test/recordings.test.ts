import { conversations } from '@glassloop/conformance';
import { mistralChat } from '@glassloop/simulator';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { mistral } from '../src/index.ts';

const recorded = recordingsOf('mistral');
const some = streamsIn(recorded)
  .filter((_, index) => index % 7 === 0)
  .slice(0, 4);
// The client of one put a file that a tool returned into a user message of its own, which no loop of ours does.
const OWN_MESSAGES = 'mistral-pydantic-ai-test-multimodal-tool-return-matrix-direct-url-image-mistral-c9b71';
const runs = conversations(recorded).filter(([first]) => first?.conversation?.id !== OWN_MESSAGES);

describeExchanges(mistral, recorded);
describePieces(mistral, some, [1, 3, 100]);
describeConversations(mistral, runs, mistralChat);
