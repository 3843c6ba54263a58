import { bothModes } from '../case.ts';
import { holds, same, shown } from '../check.ts';
import { assistant, result, TOOLS, user } from '../fixtures.ts';
import { assistantsSeen, callsSeen, resultsSeen } from './tool-turns.ts';

const OPAQUE = 'b3BhcXVlLXN0YXRlLWNhbmFyeQ==';

export const thinkingCases = bothModes({
  'thinking.native': {
    title: 'Reasoning in its native place is handed over as thinking, and is not in the content',
    why: 'Thoughts were shown to users as the answer.',
    needs: ['wire thinking', 'thinking'],
    async run(bench) {
      const provider = await bench.provider({ think: 'The user wants the time.', say: 'It is noon.' });
      const response = await provider.ask({ options: { thinking: true } });

      same(response.message.content, 'It is noon.', 'content');
      same(response.thinking, 'The user wants the time.', 'thinking');
    },
  },
  'thinking.with-calls': {
    title: 'Reasoning before a call is kept apart from text and call',
    why: 'Blocks of different kinds in one answer were read as one.',
    needs: ['wire thinking', 'thinking'],
    async run(bench) {
      const provider = await bench.provider({
        think: 'I need the time.',
        say: 'Let me look.',
        callTools: [{ name: 'now' }],
      });
      const { message, thinking } = await provider.ask({ tools: TOOLS, options: { thinking: true } });

      same([message.content, thinking], ['Let me look.', 'I need the time.'], 'content and thinking');
      same(
        message.toolCalls.map((call) => call.name),
        ['now'],
        'calls',
      );
    },
  },
  'thinking.inline': {
    title: 'Reasoning written into the answer as `<think>…</think>` is taken out',
    why: 'Open models write it there, whatever API serves them.',
    async run(bench) {
      const provider = await bench.provider({ say: '<think>\nNoon, I guess.\n</think>\n\nIt is  noon.\n' });
      const response = await provider.ask();

      same(response.message.content, 'It is  noon.\n', 'content');
      same(response.thinking, 'Noon, I guess.', 'thinking');
    },
  },
  'thinking.inline-cut': {
    title: 'An answer that is cut inside `<think>` is all thinking',
    why: 'Half a thought was shown as the answer.',
    async run(bench) {
      const provider = await bench.provider({ say: '<think>First I should', finish: 'length' });
      const response = await provider.ask();

      same([response.message.content, response.thinking], ['', 'First I should'], 'content and thinking');
      same(response.finishReason, 'length', 'finish reason');
    },
  },
  'thinking.inline-unopened': {
    title: 'A </think> without its opening tag ends a thought that began in the prompt',
    why: 'Chat templates write the opening tag into the prompt, so only the closing one is in the answer.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Noon, I guess.</think>It is noon.' });
      const response = await provider.ask();

      same(
        [response.message.content, response.thinking],
        ['It is noon.', 'Noon, I guess.'],
        'content and thinking',
      );
    },
  },
  'thinking.none': {
    title: 'An answer without reasoning has no thinking key, and text about tags stays text',
    why: "An empty thinking text made viewers draw empty boxes; '<thinker>' is a word.",
    async run(bench) {
      const provider = await bench.provider({ say: 'Use <b> or <thinker>, a < b.' });
      const response = await provider.ask();

      same(response.message.content, 'Use <b> or <thinker>, a < b.', 'content');
      same('thinking' in response, false, "the key 'thinking' is in the response");
    },
  },
  'thinking.state': {
    title: 'Opaque state goes back verbatim with the turn it came with',
    why: 'Dropping or rewriting a signature makes the provider refuse the next request, or lose its train of thought.',
    needs: ['wire opaque'],
    async run(bench) {
      const calls = [{ id: 'call00001', name: 'now' }];
      const provider = await bench.provider(
        { think: 'I need the time.', opaque: OPAQUE, callTools: calls },
        { say: 'Noon.' },
      );
      const { message } = await provider.ask({ tools: TOOLS, options: { thinking: true } });
      // As a transcript that was saved and read again.
      const saved = JSON.parse(JSON.stringify(message)) as typeof message;
      const answer = result(message.toolCalls[0]!.id, 'now', '12:00');
      await provider.ask({
        messages: [user('Time?'), saved, answer],
        tools: TOOLS,
        options: { thinking: true },
      });

      holds(
        message.providerState?.[provider.adapter.name] !== undefined,
        `no state under providerState.${provider.adapter.name}`,
      );
      same(Object.keys(message.providerState ?? {}), [provider.adapter.name], 'keys of providerState');
      same(assistantsSeen(provider, 1)[0]?.opaque, [OPAQUE], 'opaque state sent back');
      same(
        resultsSeen(provider, 1).map((one) => one.text),
        ['12:00'],
        'results',
      );
    },
  },
  'thinking.foreign-state': {
    title: "Another adapter's state is not sent",
    why: 'State of one provider in a request to another is refused, and tells one what the other said.',
    async run(bench) {
      const foreign = {
        ...assistant('Hello.'),
        providerState: { 'some-other-adapter': { signature: 'foreign-canary' } },
      };
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      await provider.ask({ messages: [user('Hi'), foreign, user('Go on')] });
      await provider.ask({ messages: [user('Hi'), assistant('Hello.'), user('Go on')] });

      same(
        provider.exchange(0).request.bodyText,
        provider.exchange(1).request.bodyText,
        'body with foreign state, against one without',
      );
    },
  },
  'thinking.edited-turn': {
    title: 'A turn whose calls were edited is sent as edited, not as its state remembers it',
    why: 'State that contradicts the transcript answers calls that are no longer there.',
    needs: ['wire opaque', 'wire callIds'],
    async run(bench) {
      const provider = await bench.provider(
        { opaque: OPAQUE, think: 'Hm.', callTools: [{ id: 'call00001', name: 'now' }] },
        { say: 'Ok.' },
      );
      const { message } = await provider.ask({ tools: TOOLS, options: { thinking: true } });
      const edited = {
        ...message,
        toolCalls: [{ id: 'call00002', name: 'weather', argumentsJson: '{"city":"Oslo"}' }],
      };
      await provider.ask({
        messages: [user('Hi'), edited, result('call00002', 'weather', 'snow')],
        tools: TOOLS,
      });

      const sent = callsSeen(provider, 1).map((call) => [call.name, call.arguments]);
      same(sent, [['weather', { city: 'Oslo' }]], `calls sent (${shown(callsSeen(provider, 1))})`);
    },
  },
});
