import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { assistant, CONVERSATION, ID_1, NOW, result, TOOLS, user } from '../fixtures.ts';
import { callsSeen, resultsSeen } from './tool-turns.ts';

/** Calls and results of earlier rounds, on their way back to the provider. */
export const toolHistoryCases = bothModes({
  'tools.replay-arguments': {
    title: 'Arguments go back as a JSON object, whatever the model had written',
    why: 'Replaying "" or broken JSON makes the provider refuse every later request of the conversation.',
    async run(bench) {
      const written = ['{"city":"Oslo"}', '{}', '', 'null', '{"city": "Os', '[1]'];
      const provider = await bench.provider(...written.map(() => ({ say: 'Ok.' })));
      for (const text of written) {
        await provider.ask({
          messages: [user('Hi'), assistant('', [ID_1, 'weather', text]), result(ID_1, 'weather', 'no')],
          tools: TOOLS,
        });
      }

      const sent = written.map((_, index) => callsSeen(provider, index)[0]?.arguments);
      same(sent, [{ city: 'Oslo' }, {}, {}, {}, {}, {}], 'arguments sent back');
    },
  },
  'tools.round-trip': {
    title: 'Calls and their results go back in order, paired, in the one shape the provider takes',
    why: 'Results in separate turns, in completion order or under the wrong id are refused, or mixed up in silence.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Snow in Oslo, sun in Rome.' });
      const response = await provider.ask({ messages: CONVERSATION, tools: TOOLS });

      same(response.message.content, 'Snow in Oslo, sun in Rome.', 'content');
      same(
        provider.seen().messages.map((message) => message.role),
        ['user', 'assistant', 'tool', 'tool'],
        'roles',
      );
      const calls = callsSeen(provider);
      same(
        calls.map((call) => [call.name, call.arguments]),
        [
          ['weather', { city: 'Oslo' }],
          ['weather', { city: 'Rome' }],
        ],
        'calls',
      );
      same(
        resultsSeen(provider).map((one) => one.text),
        ['snow', 'sun'],
        'results',
      );
      if (bench.wire.can.callIds)
        same(
          resultsSeen(provider).map((one) => one.callId),
          calls.map((call) => call.id),
          'ids of calls and results',
        );
    },
  },
  'tools.out-of-order': {
    title:
      'Results of one tool called twice stay with their calls when the transcript lists them the other way round',
    why: 'Pairing by name or position gives Rome the weather of Oslo.',
    needs: ['wire callIds'],
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      const [systemText, question, calling, first, second] = CONVERSATION;
      await provider.ask({ messages: [systemText!, question!, calling!, second!, first!], tools: TOOLS });

      const textOf = (city: string) => {
        const call = callsSeen(provider).find((one) => (one.arguments as { city?: string }).city === city);
        return resultsSeen(provider).find((one) => one.callId === call?.id)?.text;
      };
      same([textOf('Oslo'), textOf('Rome')], ['snow', 'sun'], 'results of Oslo and Rome');
    },
  },
  'tools.error-result': {
    title: 'The text of an error result reaches the model, with the flag where the format has one',
    why: 'A failed tool that looks like a success is worse than one that is missing.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Sorry.' });
      await provider.ask({
        messages: [
          user('Hi'),
          assistant('', [ID_1, 'weather', '{"city":"X"}']),
          result(ID_1, 'weather', 'no such city', true),
        ],
        tools: TOOLS,
      });

      const [sent] = resultsSeen(provider);
      holds(sent?.text.includes('no such city'), `the error text is missing: ${JSON.stringify(sent)}`);
      if (bench.wire.can.errorResults) same(sent?.isError, true, 'error flag');
    },
  },
  'tools.empty-result': {
    title: 'An empty result is still a result',
    why: 'Filtering blank content left a call unanswered, and the provider refused the conversation.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [user('Hi'), assistant('', [ID_1, 'now', '{}']), result(ID_1, 'now', '')],
        tools: [NOW],
      });

      same(resultsSeen(provider).length, 1, 'results sent');
    },
  },
  'tools.foreign-ids': {
    title: 'A transcript begun with another adapter goes on here: its ids are adapted, and still pair',
    why: 'Providers that are strict about ids refuse those of another one.',
    async run(bench) {
      const ids = ['toolu_01A/with:odd chars.and-a-length-beyond-forty-characters', 'fc_68b1f0'] as const;
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [
          user('Hi'),
          assistant('', [ids[0], 'weather', '{"city":"Oslo"}'], [ids[1], 'now', '{}']),
          result(ids[0], 'weather', 'snow'),
          result(ids[1], 'now', 'noon'),
        ],
        tools: TOOLS,
      });

      same(
        resultsSeen(provider).map((one) => one.text),
        ['snow', 'noon'],
        'results',
      );
      if (!bench.wire.can.callIds) return;
      const sent = callsSeen(provider).map((call) => call.id);
      same(new Set(sent).size, 2, 'different ids');
      same(
        resultsSeen(provider).map((one) => one.callId),
        sent,
        'ids of results',
      );
    },
  },
  'tools.not-offered-anymore': {
    title: 'A closing request without tools still carries the calls and results of before',
    why: 'The last request of a capped run offers no tools; its history must not be dropped or refused by the adapter.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Done.' });
      const response = await provider.ask({ messages: CONVERSATION, tools: [] });

      same(response.message.content, 'Done.', 'content');
      holds(provider.exchange(0).request.bodyText.includes('snow'), 'the results are not in the request');
    },
  },
});
