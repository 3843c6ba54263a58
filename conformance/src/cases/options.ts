import type { CallOptions, ModelResponse } from '@glassloop/core/adapter';
import { bothModes, whole } from '../case.ts';
import { failsWith, holds, same, shown } from '../check.ts';
import { TOOLS, user } from '../fixtures.ts';

const sampling = bothModes({
  'options.sampling': {
    title: 'Temperature, top-p, token limit and stop texts are sent, or their loss is a warning',
    why: 'Options were dropped on the streamed path, or with tools, and nobody was told.',
    async run(bench) {
      const wanted = { temperature: 0.5, topP: 0.25, maxTokens: 64, stop: ['END', 'HALT'] };
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      const plain = await provider.ask({ options: wanted });
      const withTools = await provider.ask({ options: wanted, tools: TOOLS });

      for (const [index, response] of [plain, withTools].entries()) {
        const seen = provider.seen(index);
        for (const name of ['temperature', 'topP', 'maxTokens', 'stop'] as const) {
          sentOrWarned(seen[name], wanted[name], name, response);
        }
      }
    },
  },
  'options.absent': {
    title: 'Options that are absent, undefined or null send nothing',
    why: 'undefined became null on the wire, and the provider refused it.',
    async run(bench) {
      const nothing = {
        temperature: undefined,
        topP: null,
        stop: undefined,
        toolChoice: null,
        thinking: undefined,
      };
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      await provider.ask({ options: {} });
      await provider.ask({ options: nothing as unknown as CallOptions });

      same(
        provider.exchange(1).request.bodyText,
        provider.exchange(0).request.bodyText,
        'body with unset options',
      );
      const nulls = Object.entries(provider.body(0)).filter(([, value]) => value === null);
      same(nulls, [], 'fields that are null');
    },
  },
  'options.provider-options': {
    title: "providerOptions under the adapter's name reach the body; another adapter's do not",
    why: 'What only one provider has must be reachable, or people fork the adapter.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      const own = { x_conformance: { level: 3, list: ['a', null] } };
      await provider.ask({ options: { providerOptions: { [provider.adapter.name]: own } } });
      await provider.ask({ options: { providerOptions: { 'some-other-adapter': { x_foreign: true } } } });

      same(provider.body(0)['x_conformance'], own.x_conformance, 'x_conformance in the body');
      same(
        provider.exchange(1).request.bodyText.includes('x_foreign'),
        false,
        "another adapter's option in the body",
      );
    },
  },
});

const choice = bothModes({
  'options.tool-choice': {
    title: "Tool choice 'auto' and 'none' are understood by the provider, or a warning",
    why: "A 'none' that is lost runs tools that the caller forbade.",
    needs: ['wire toolChoice'],
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      await provider.ask({ tools: TOOLS, options: { toolChoice: 'auto' } });
      const none = await provider.ask({ tools: TOOLS, options: { toolChoice: 'none' } });

      const [auto, off] = [provider.seen(0), provider.seen(1)];
      holds(
        auto.toolChoice === 'auto' || auto.toolChoice === undefined,
        `'auto' was sent as ${shown(auto.toolChoice)}`,
      );
      if (off.tools.length > 0) sentOrWarned(off.toolChoice, 'none', 'toolChoice', none);
    },
  },
  'options.tool-choice-required': {
    title: "Tool choice 'required' and one named tool are sent in the provider's own form",
    why: 'Each provider spells them differently; a wrong spelling is refused or ignored.',
    needs: ['wire toolChoice', 'requiredToolChoice'],
    async run(bench) {
      const provider = await bench.provider(
        { callTools: [{ name: 'now' }] },
        { callTools: [{ name: 'now' }] },
      );
      await provider.ask({ tools: TOOLS, options: { toolChoice: 'required' } });
      await provider.ask({ tools: TOOLS, options: { toolChoice: { tool: 'now' } } });

      same(provider.seen(0).toolChoice, 'required', "'required' as sent");
      same(provider.seen(1).toolChoice, { tool: 'now' }, 'the named tool as sent');
    },
  },
  'options.tool-choice-warned': {
    title: 'A forced tool choice the provider does not obey is a warning',
    why: 'The caller believes the tool was forced, and the model answers from memory.',
    needs: ['no requiredToolChoice'],
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      for (const toolChoice of ['required', { tool: 'now' }] as const) {
        warned(await provider.ask({ tools: TOOLS, options: { toolChoice } }), 'toolChoice');
      }
    },
  },
  'options.parallel-off': {
    title: 'parallelToolCalls: false is sent, or its loss is a warning',
    why: 'Tools that must not run side by side did.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      const response = await provider.ask({ tools: TOOLS, options: { parallelToolCalls: false } });

      sentOrWarned(provider.seen().parallelToolCalls, false, 'parallelToolCalls', response);
    },
  },
  'options.thinking': {
    title: 'thinking: true and false are sent, or their loss is a warning',
    why: 'Hidden reasoning costs money; a switch without effect must not look like one.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      const on = await provider.ask({ options: { thinking: true } });
      const off = await provider.ask({ options: { thinking: false } });

      sentOrWarned(provider.seen(0).thinking, true, 'thinking', on);
      // Not asking for any is the same as asking for none where that is the provider's default.
      if (provider.seen(1).thinking !== undefined)
        sentOrWarned(provider.seen(1).thinking, false, 'thinking', off);
    },
  },
  'options.no-warnings': {
    title: 'A request that is sent as it is carries no warnings, not even an empty list',
    why: 'Warnings that are always there are never read.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      const response = await provider.ask({ tools: TOOLS, options: {} });

      same('warnings' in response, false, "the key 'warnings' is in the response");
    },
  },
});

const images = [
  ...bothModes({
    'options.images': {
      title: 'Images are sent with their data and type, beside the text',
      why: 'The model answered as if it had seen nothing.',
      needs: ['images'],
      async run(bench) {
        const provider = await bench.provider({ say: 'A dot.' });
        await provider.ask({
          messages: [
            {
              role: 'user',
              content: [
                { type: 'text', text: 'What is this?' },
                { type: 'image', data: 'iVBORw0KGgo=', mediaType: 'image/png' },
              ],
            },
          ],
        });

        const [turn] = provider.seen().messages;
        const sent = turn?.role === 'user' ? turn.images : [];
        same(
          sent.map((image) => image.data),
          ['iVBORw0KGgo='],
          'image data',
        );
        holds(
          sent[0]?.mediaType === undefined || sent[0].mediaType === 'image/png',
          `media type: ${sent[0]?.mediaType}`,
        );
        same(turn?.text.trim(), 'What is this?', 'text beside the image');
      },
    },
    'options.image-urls': {
      title: 'An image given as a URL is sent as one, or refused before anything is sent',
      why: 'A URL sent in the place of base64 is a broken image; dropped in silence, the model invents one.',
      needs: ['images'],
      async run(bench) {
        const provider = await bench.responder(() => ({ say: 'A cat.' }));
        const data = 'https://images.example.com/cat.png';
        const content = [{ type: 'image' as const, data, mediaType: 'image/png' }];
        const outcome = await provider
          .ask({ messages: [{ role: 'user', content }] })
          .catch((error: unknown) => error);

        if (provider.exchanges.length === 0) {
          await failsWith(Promise.reject(outcome), 'unsupported');
          return;
        }
        const [turn] = provider.seen().messages;
        same(turn?.role === 'user' && turn.images.map((image) => image.data), [data], 'images sent');
      },
    },
  }),
  ...whole({
    'options.images-refused': {
      title: 'An adapter without images refuses them before anything is sent',
      why: 'Dropped in silence, the model invents what it did not see.',
      needs: ['no images'],
      async run(bench) {
        const provider = await bench.provider();
        const content = [{ type: 'image' as const, data: 'iVBORw0KGgo=', mediaType: 'image/png' }];
        await failsWith(provider.ask({ messages: [{ role: 'user', content }] }), 'unsupported');

        same(provider.exchanges.length, 0, 'requests');
      },
    },
    'options.streaming-refused': {
      title: 'An adapter that does not stream refuses onDelta before anything is sent',
      why: 'A watcher that never hears anything waits for ever.',
      needs: ['no streaming'],
      async run(bench) {
        const provider = await bench.provider();
        await failsWith(provider.ask({ messages: [user('Hi')], onDelta: () => {} }), 'unsupported');

        same(provider.exchanges.length, 0, 'requests');
      },
    },
    'options.thinking-warned': {
      title: 'An adapter without thinking says so when it is asked for',
      why: 'The caller pays for a model that cannot do what was asked.',
      needs: ['no thinking'],
      async run(bench) {
        const provider = await bench.provider({ say: 'Ok.' });

        warned(await provider.ask({ options: { thinking: true } }), 'thinking');
      },
    },
  }),
];

function sentOrWarned(sent: unknown, wanted: unknown, name: string, response: ModelResponse): void {
  if (sent === undefined) warned(response, name);
  else same(sent, wanted, `${name} as sent`);
}

/** A sentence that names the option, or what it is about, in words. */
function warned({ warnings = [] }: ModelResponse, option: string): void {
  const words = option
    .replace(/([A-Z])/g, ' $1')
    .toLowerCase()
    .split(' ');
  const said = warnings.some((sentence) => words.some((word) => sentence.toLowerCase().includes(word)));
  holds(said, `${option} was not sent, and no warning says so (warnings: ${shown(warnings)})`);
}

export const optionCases = [...sampling, ...choice, ...images];
