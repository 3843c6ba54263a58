import { conversations } from '@glassloop/conformance';
import { ollamaChat } from '@glassloop/simulator';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { ollama } from '../src/index.ts';

const recorded = recordingsOf('ollama');
const some = streamsIn(recorded)
  .filter((_, index) => index % 2 === 0)
  .slice(0, 4);

describeExchanges(ollama, recorded);
describePieces(ollama, some, [1, 3, 100]);
describeConversations(ollama, conversations(recorded), ollamaChat);
