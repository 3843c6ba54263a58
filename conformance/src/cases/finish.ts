import { notApplicable } from '../bench.ts';
import { bothModes, whole } from '../case.ts';
import { holds, same, shown } from '../check.ts';
import { TOOLS } from '../fixtures.ts';

const both = bothModes({
  'finish.stop': {
    title: "A finished answer is 'stop', with the provider's own word beside it",
    why: 'A loop that does not recognise the end runs to its cap every time.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Done.', finish: 'stop' });
      const response = await provider.ask();

      same(response.finishReason, 'stop', 'finish reason');
      holds(
        typeof response.rawFinishReason === 'string',
        `rawFinishReason is ${shown(response.rawFinishReason)}`,
      );
    },
  },
  'finish.length': {
    title: "An answer cut at the token limit is 'length'",
    why: 'Half an answer passed for a whole one.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Half an ans', finish: 'length' });
      const response = await provider.ask();

      same(
        [response.finishReason, response.message.content],
        ['length', 'Half an ans'],
        'finish reason and content',
      );
    },
  },
  'finish.calls': {
    title: "An answer with calls is 'tool_calls', also when the provider says it stopped",
    why: "Several hosts send 'stop' beside calls; loops that looked at the word alone ended there.",
    async run(bench) {
      const provider = await bench.provider(
        { callTools: [{ name: 'now' }], finish: 'tool_calls' },
        { callTools: [{ name: 'now' }], finish: 'stop' },
      );
      const words = [await provider.ask({ tools: TOOLS }), await provider.ask({ tools: TOOLS })];

      same(
        words.map((response) => response.finishReason),
        ['tool_calls', 'tool_calls'],
        'finish reasons',
      );
    },
  },
  'finish.cut-calls': {
    title: "Calls cut at the token limit stay 'length', so that nobody runs them",
    why: 'A half-written argument list that happens to parse deletes the wrong file.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [{ name: 'weather', arguments: { city: 'Os' } }],
        finish: 'length',
      });

      same((await provider.ask({ tools: TOOLS })).finishReason, 'length', 'finish reason');
    },
  },
  'finish.content-filter': {
    title: "An answer stopped by the provider's policy is 'content_filter'",
    why: 'It looked like an empty success.',
    async run(bench) {
      const reply = await bench.replyFor({ say: 'I', finish: 'content_filter' });
      const plain = await bench.replyFor({ say: 'I', finish: 'stop' });
      if (JSON.stringify(reply.body) === JSON.stringify(plain.body))
        notApplicable(`${bench.wire.name} has no word for it`);
      const provider = await bench.provider({ say: 'I', finish: 'content_filter' });

      same((await provider.ask()).finishReason, 'content_filter', 'finish reason');
    },
  },
  'finish.unknown': {
    title: "A word nobody knows yet is 'other', and is kept",
    why: 'Providers add words; guessing that they mean success is how silent stops begin.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hm.', rawFinish: 'zz_new_reason' });
      const response = await provider.ask();

      same(response.finishReason, 'other', 'finish reason');
      same(response.rawFinishReason?.toLowerCase(), 'zz_new_reason', 'raw finish reason');
    },
  },
});

const absent = whole({
  'finish.absent': {
    title: "A whole answer without any word is 'stop', or 'tool_calls' when it holds calls",
    why: 'Hosts leave the field out; the answer is complete all the same, because the body is.',
    async run(bench) {
      const provider = await bench.provider(
        { say: 'Done.', rawFinish: null },
        { callTools: [{ name: 'now' }], rawFinish: null },
      );
      const [said, called] = [await provider.ask(), await provider.ask({ tools: TOOLS })];

      same([said.finishReason, called.finishReason], ['stop', 'tool_calls'], 'finish reasons');
      same('rawFinishReason' in said, false, "the key 'rawFinishReason' is in the response");
    },
  },
});

export const finishCases = [...both, ...absent];
