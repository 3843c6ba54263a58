import { conversations, replayConversation } from '@glassloop/conformance';
import { describe, expect, it } from 'vitest';
import {
  describeExchanges,
  describePieces,
  recordingsOf,
  streamsIn,
} from '../../../scripts/testing/recordings.ts';
import { anthropic } from '../src/index.ts';
import { recordedAnthropic } from './wire.ts';

const recorded = recordingsOf('anthropic');
const some = streamsIn(recorded).filter((_, index) => index % 4 === 0);

describeExchanges(anthropic, recorded);
describePieces(anthropic, some, [1, 3, 100]);

// Signed blocks are compared as text: the simulator can only check signatures of its own.
describe.each(conversations(recorded).map((turns) => [turns[0]?.conversation?.id, turns] as const))(
  'conversation %s',
  (_, turns) => {
    it('goes on as it did', async (context) => {
      const differences = await replayConversation(anthropic, recordedAnthropic, turns);
      const unread = differences.find(({ field }) => field === 'recorded request');
      if (unread !== undefined) context.skip(`the simulator refuses what was recorded: ${unread.actual}`);
      // That client puts a text of its own in place of an empty answer; this adapter leaves the turn out.
      const leftOut = turns.some(({ kind }) => kind.includes('empty_content'));
      expect(differences).toEqual(
        leftOut ? [{ field: 'turn 2: roles', expected: 'user assistant user', actual: 'user user' }] : [],
      );
    });
  },
);
