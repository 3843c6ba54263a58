import type { Provider } from '../bench.ts';
import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { assistant, system, user } from '../fixtures.ts';

export const systemCases = bothModes({
  'system.one': {
    title: 'A system message reaches the model as system text, once',
    why: 'Sent as a user turn, it loses its authority; sent twice, it costs twice.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({ messages: [system('Answer in French.'), user('Hi')] });

      same(provider.seen().system.join('\n').trim(), 'Answer in French.', 'system text');
      same(provider.seen().messages.length, 1, 'messages besides the system text');
      same(
        provider.exchange(0).request.bodyText.split('Answer in French.').length - 1,
        1,
        'times it was sent',
      );
    },
  },
  'system.several': {
    title: 'All system messages are kept, in order',
    why: 'Adapters kept only the first, only the last, or joined them in the wrong order.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [system('Rule one.'), system('Rule two.'), system('Rule three.'), user('Hi')],
      });

      inOrder(provider, ['Rule one.', 'Rule two.', 'Rule three.']);
      same(provider.seen().messages.at(-1)?.text, 'Hi', 'user text');
    },
  },
  'system.later': {
    title: 'A system message in the middle of a conversation is not lost',
    why: 'Providers with one system field dropped it, or the request was refused.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [system('Rule one.'), user('Hi'), assistant('Hello.'), system('Rule two.'), user('Go on')],
      });

      inOrder(provider, ['Rule one.', 'Rule two.']);
      const turns = provider.seen().messages.filter((message) => message.role !== 'system');
      same(
        turns.map((turn) => turn.text),
        ['Hi', 'Hello.', 'Go on'],
        'turns sent',
      );
    },
  },
  'system.blank': {
    title: 'Blank system messages are not sent, nor an empty system field',
    why: 'Providers refuse empty system blocks.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      await provider.ask({ messages: [system(''), system(' \n'), user('Hi')] });
      await provider.ask({ messages: [user('Hi')] });

      same(
        provider.seen(0).system.filter((text) => text.trim() === ''),
        [],
        'blank system texts sent',
      );
      same(provider.body(0), provider.body(1), 'body with blank system messages, against one without');
    },
  },
});

/** Wherever the format keeps system text: at the top or among the messages. */
function inOrder(provider: Provider, texts: readonly string[]): void {
  const seen = provider.seen();
  const later = seen.messages.filter((message) => message.role === 'system').map((message) => message.text);
  const sent = [...seen.system, ...later].join('\n');
  let from = 0;
  for (const text of texts) {
    const at = sent.indexOf(text, from);
    holds(
      at !== -1,
      `system text ${JSON.stringify(text)} is missing or out of order in ${JSON.stringify(sent)}`,
    );
    from = at + text.length;
  }
}
