import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { assistant, user } from '../fixtures.ts';

export const textCases = bothModes({
  'text.answer': {
    title: 'A plain answer arrives as it was said, and the question as it was asked',
    why: 'The least an adapter does; the other cases build on it.',
    async run(bench) {
      const provider = await bench.provider({ say: 'It is noon in Oslo.' });
      const response = await provider.ask('What time is it in Oslo?');

      same(response.message.role, 'assistant', 'role');
      same(response.message.content, 'It is noon in Oslo.', 'content');
      same(response.message.toolCalls, [], 'tool calls');
      same(response.finishReason, 'stop', 'finish reason');
      same(
        provider.seen().messages,
        [{ role: 'user', text: 'What time is it in Oslo?', images: [] }],
        'messages sent',
      );
      same(provider.exchanges.length, 1, 'requests');
    },
  },
  'text.empty': {
    title: "An answer without any text is '', not null and not 'undefined'",
    why: 'Content null next to tool calls became the text "null" or a TypeError in several clients.',
    async run(bench) {
      const provider = await bench.provider({}, { callTools: [{ name: 'now' }] });
      const empty = await provider.ask();
      const calling = await provider.ask({
        tools: [{ name: 'now', description: '', parameters: { type: 'object', properties: {} } }],
      });

      same(empty.message.content, '', 'content of an empty answer');
      same(calling.message.content, '', 'content beside a call');
    },
  },
  'text.white-space': {
    title: 'White space of the answer is kept: leading, trailing, blank lines',
    why: 'Adapters that trim to take thoughts out break code blocks and poems of every other answer.',
    async run(bench) {
      const text = '\n  indented\n\n\tand a tab  \n';
      const provider = await bench.provider({ say: text });

      same((await provider.ask()).message.content, text, 'content');
    },
  },
  'text.conversation': {
    title: 'Earlier turns are sent in their order and roles',
    why: 'Merging or reordering turns makes a model answer the wrong question.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Three.' });
      await provider.ask({
        messages: [user('One?'), assistant('One.'), user('Two?'), assistant('Two.'), user('Three?')],
      });

      const turns = provider.seen().messages.map((message) => [message.role, message.text]);
      const expected = [
        ['user', 'One?'],
        ['assistant', 'One.'],
        ['user', 'Two?'],
        ['assistant', 'Two.'],
        ['user', 'Three?'],
      ];
      same(turns, expected, 'turns sent');
    },
  },
  'text.parts': {
    title: 'A user message in parts is sent with all its parts, in order',
    why: 'Content as a list was sent as "[object Object]" or with only its first part.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Yes.' });
      await provider.ask({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'First part.' },
              { type: 'text', text: 'Second part.' },
            ],
          },
        ],
      });

      const text = provider
        .seen()
        .messages.map((message) => message.text)
        .join('\n');
      holds(text.indexOf('First part.') !== -1, `the first part is not in what was sent: ${text}`);
      holds(
        text.indexOf('Second part.') > text.indexOf('First part.'),
        `the second part is not behind the first: ${text}`,
      );
    },
  },
  'text.model': {
    title: 'The model that was set is asked, and the one that answered is named',
    why: 'Routers answer with another model than the one asked; a trace that names the wrong one misleads.',
    async run(bench) {
      const provider = await bench.providerWith(
        { model: 'asked-model' },
        { say: 'Hi.', model: 'answering-model' },
      );
      const response = await provider.ask();

      same(provider.adapter.model, 'asked-model', 'adapter.model');
      same(provider.seen().model, 'asked-model', 'model sent');
      holds(
        response.model === undefined || response.model === 'answering-model',
        `model of the answer is ${response.model}`,
      );
    },
  },
  'text.empty-turns': {
    title: 'Empty assistant turns and blank parts do not make a request that providers refuse',
    why: 'Empty text blocks are an error at several providers; a finished tool round leaves such a turn behind.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Yes.' });
      await provider.ask({
        messages: [
          user('Hello'),
          assistant(''),
          {
            role: 'user',
            content: [
              { type: 'text', text: ' ' },
              { type: 'text', text: 'Still there?' },
            ],
          },
        ],
      });

      const blank = provider
        .seen()
        .messages.filter((message) => message.role === 'assistant' && message.text.trim() === '');
      same(blank, [], 'empty assistant turns sent');
      const asked = provider.seen().messages.at(-1);
      same([asked?.role, asked?.text.trim()], ['user', 'Still there?'], 'last turn sent');
    },
  },
});
