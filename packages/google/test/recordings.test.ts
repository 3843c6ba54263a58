import { conversations } from '@glassloop/conformance';
import { googleGenerateContent } from '@glassloop/simulator';
import {
  describeConversations,
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { google } from '../src/index.ts';

const recorded = recordingsOf('google');
const some = streamsIn(recorded).filter((_, index) => index % 4 === 0);

describeExchanges(google, recorded);
describePieces(google, some, [1, 7]);
describeConversations(google, conversations(recorded), googleGenerateContent);
