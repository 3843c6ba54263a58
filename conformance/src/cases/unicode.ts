import { defineTool, runLoop } from '@glassloop/core';
import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { assistant, result, system, user } from '../fixtures.ts';
import { assistantsSeen, callsSeen, resultsSeen } from './tool-turns.ts';

const SCRIPTS = 'Grüße 你好 שלום 🌨️👩‍👩‍👧 e\u0301 \u2028 "quoted" \\ back\tslash';

export const unicodeCases = bothModes({
  'unicode.answer': {
    title: 'Any text of an answer arrives as it was sent',
    why: 'Wrong decoders, and normalisation nobody asked for.',
    async run(bench) {
      const provider = await bench.provider({ say: SCRIPTS, pieceLength: 1 });

      same((await provider.ask()).message.content, SCRIPTS, 'content');
    },
  },
  'unicode.request': {
    title:
      'Any text of any message is sent as it is: system, user, assistant, arguments, results, descriptions',
    why: 'One of the roles went through an encoder of its own.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      const args = JSON.stringify({ city: SCRIPTS });
      await provider.ask({
        messages: [
          system(SCRIPTS),
          user(SCRIPTS),
          assistant(SCRIPTS, ['call00001', 'weather', args]),
          result('call00001', 'weather', SCRIPTS),
        ],
        tools: [
          {
            name: 'weather',
            description: SCRIPTS,
            parameters: { type: 'object', properties: { city: { type: 'string' } } },
          },
        ],
      });

      const seen = provider.seen();
      same(seen.system.join(''), SCRIPTS, 'system text');
      same(seen.messages[0]?.text, SCRIPTS, 'user text');
      same(assistantsSeen(provider)[0]?.text, SCRIPTS, 'assistant text');
      same(callsSeen(provider)[0]?.arguments, { city: SCRIPTS }, 'arguments');
      same(resultsSeen(provider)[0]?.text, SCRIPTS, 'result');
      same(seen.tools[0]?.description, SCRIPTS, 'description');
    },
  },
  'unicode.calls': {
    title: 'Any text in arguments arrives as the model wrote it',
    why: 'Arguments are decoded and printed again on their way; escapes were doubled.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [{ name: 'weather', arguments: { city: SCRIPTS } }],
      });
      const tools = [
        {
          name: 'weather',
          description: 'Weather',
          parameters: { type: 'object', properties: { city: { type: 'string' } } },
        },
      ];
      const { message } = await provider.ask({ tools });

      same(JSON.parse(message.toolCalls[0]?.argumentsJson ?? ''), { city: SCRIPTS }, 'arguments');
    },
  },
  'unicode.lone-surrogates': {
    title: 'Half an emoji never reaches the wire in a run, wherever it came from',
    why: 'A text cut in the middle of an emoji is refused by several providers, and the conversation is stuck.',
    async run(bench) {
      const broken = 'cut here: \ud83c';
      const provider = await bench.provider(
        { callTools: [{ name: 'read', arguments: {} }] },
        { say: 'Done.' },
      );
      const read = defineTool({ name: 'read', description: 'Reads', execute: () => broken });
      await runLoop({
        adapter: provider.adapter,
        systemPrompt: broken,
        messages: [user(broken)],
        tools: [read],
        ...(bench.mode === 'streamed' ? { onDelta: () => {} } : {}),
      });

      for (const { request } of provider.exchanges) {
        const text = request.bodyText.replace(/\\u(d[89a-f][0-9a-f]{2})/gi, (_, hex) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
        holds(text.isWellFormed(), 'half a character is in the request');
      }
      holds(resultsSeen(provider, 1)[0]?.text.startsWith('cut here: '), 'the rest of the text was lost');
    },
  },
});
