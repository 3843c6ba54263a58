import type { ModelRequest, ModelResponse } from '@glassloop/core/adapter';
import { notApplicable } from '../bench.ts';
import { bothModes, whole } from '../case.ts';
import { holds, same, sameJson, shown } from '../check.ts';
import { assistant, CONVERSATION, TOOLS, user } from '../fixtures.ts';

export const purityCases = [
  ...bothModes({
    'purity.input': {
      title: 'A deeply frozen request is taken, and an unfrozen one is not changed',
      why: 'Adapters pushed into the list of messages; the next round sent everything twice.',
      async run(bench) {
        const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
        const open = request(provider.adapter.name);
        const before = JSON.stringify(open);
        await provider.ask(open);
        const frozen = deepFreeze(request(provider.adapter.name));
        await provider.ask(frozen);

        sameJson(open, JSON.parse(before), 'the request after the call');
        same(
          provider.exchange(1).request.bodyText,
          provider.exchange(0).request.bodyText,
          'body of the frozen request',
        );
      },
    },
    'purity.output': {
      title: 'A response is data: it survives JSON, shares nothing with the next one, and is no SDK object',
      why: 'Class instances with hidden clients inside broke storing, comparing and freezing.',
      async run(bench) {
        const turn = {
          say: 'Let me look.',
          callTools: [{ id: 'call00001', name: 'weather', arguments: { city: 'Oslo' } }],
        };
        const provider = await bench.provider(turn, turn);
        const first = await provider.ask({ messages: [user('Hi')], tools: TOOLS });
        const second = await provider.ask({ messages: [user('Hi')], tools: TOOLS });

        same(JSON.parse(JSON.stringify(first)), first, 'the response after JSON');
        deepFreeze(first);
        same(sharedObject(first, second), undefined, 'an object that both responses share');
        const { providerState: _, ...message } = first.message;
        same(Object.keys(message), ['role', 'content', 'toolCalls'], 'keys of the message');
      },
    },
    'purity.same-request': {
      title: 'The same request is the same bytes every time',
      why: 'A random id, a clock or an idempotency key in a request defeats prompt caches and replays.',
      async run(bench) {
        const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
        for (let round = 0; round < 2; round++) await provider.ask(request(provider.adapter.name));

        const [first, second] = provider.exchanges.map(({ request: sent }) => [
          sent.query,
          sent.rawHeaders,
          sent.bodyText,
        ]);
        same(second, first, 'the second request');
      },
    },
    'purity.memo': {
      title:
        'What the adapter keeps from round to round changes no byte: a growing conversation, a changed one, two at once',
      why: 'A body put together from remembered pieces goes out with the messages, tools or options of another call.',
      async run(bench) {
        const requests = turnsOfARun(request('any'));
        const provider = await bench.provider(...requests.flatMap(() => [OK, OK, OK]));
        const memos = [new Map<object, unknown>(), new Map<object, unknown>()];
        for (const asked of requests) {
          await provider.ask(asked);
          for (const memo of memos) await provider.ask({ ...asked, memo });
        }

        const bodies = provider.exchanges.map(({ request: sent }) => sent.bodyText);
        for (const [index, body] of bodies.entries()) {
          same(
            body,
            bodies[index - (index % 3)],
            `body of call ${index + 1}, against the call without a memo`,
          );
        }
      },
    },
    'purity.concurrent': {
      title: 'Fifty calls at once keep apart: each gets its own answer, and its own capture or none',
      why: 'A client, a buffer or a capture switch shared between calls mixes up the conversations of two users.',
      async run(bench) {
        const provider = await bench.responder((seen) => {
          const text = seen.messages.at(-1)?.text ?? '';
          return { say: `answer to ${text}`, delayMs: text.length % 3 };
        });
        const responses = await Promise.all(
          Array.from({ length: 50 }, (_, index) => {
            const messages = [user(`<${'x'.repeat(index % 7)}${index}>`)];
            return provider.ask({ messages, options: index % 2 === 0 ? { _capture_raw: true } : {} });
          }),
        );

        for (const [index, response] of responses.entries()) {
          const own = `<${'x'.repeat(index % 7)}${index}>`;
          same(response.message.content, `answer to ${own}`, `answer ${index}`);
          same(
            response.metadata !== undefined && '_raw' in response.metadata,
            index % 2 === 0,
            `_raw in answer ${index}`,
          );
          ownCapture(response, own);
        }
      },
    },
    'purity.preview': {
      title: 'preview gives the very body that chat sends, and sends nothing',
      why: 'A dry run that shows something else than the run is worse than none.',
      async run(bench) {
        const provider = await bench.provider({ say: 'Ok.' });
        const { adapter } = provider;
        if (adapter.preview === undefined) notApplicable('the adapter has no preview');
        const asked = {
          ...request(adapter.name),
          ...(bench.mode === 'streamed' ? { onDelta: () => {} } : {}),
        };
        const preview = adapter.preview(asked);
        same(provider.exchanges.length, 0, 'requests after preview');
        const response = await provider.ask(asked);

        sameJson(
          JSON.parse(JSON.stringify(preview.body)),
          provider.body(0),
          'the body of preview, against the one sent',
        );
        same(
          preview.warnings,
          response.warnings ?? [],
          'the warnings of preview, against those of the response',
        );
      },
    },
  }),
  ...whole({
    'purity.capabilities': {
      title: 'Name, model and all six capabilities are declared',
      why: 'What is not declared can be neither tested nor relied upon.',
      async run(bench) {
        const { adapter } = await bench.provider();

        holds(/^[a-z][a-z0-9-]*$/.test(adapter.name), `name is ${shown(adapter.name)}`);
        holds(typeof adapter.model === 'string' && adapter.model !== '', `model is ${shown(adapter.model)}`);
        for (const name of [
          'streaming',
          'parallelToolCalls',
          'requiredToolChoice',
          'thinking',
          'images',
          'cost',
        ] as const) {
          same(typeof adapter.capabilities[name], 'boolean', `type of capabilities.${name}`);
        }
      },
    },
  }),
];

const OK = { say: 'Ok.' };

/** The calls of a run that goes on, then without tools, then with other options, then over another conversation. */
function turnsOfARun(
  first: ReturnType<typeof request>,
): readonly Pick<ModelRequest, 'messages' | 'tools' | 'options'>[] {
  const { messages, tools, options } = first;
  const longer = [...messages, assistant('Sun.'), user('And Rome?')];
  const turns = [
    { messages, tools, options },
    { messages: longer, tools, options },
    { messages: longer, tools, options },
    { messages: longer, tools: [], options },
    { messages: longer, tools, options: { maxTokens: 7 } },
    { messages: [user('Something else.'), ...longer.slice(messages.length)], tools, options },
  ];
  return turns.map(deepFreeze);
}

/** A new request each time, with something in every place. */
function request(adapter: string): Pick<ModelRequest, 'messages' | 'tools' | 'options'> {
  return structuredClone({
    messages: [
      ...CONVERSATION,
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'And Paris?' }] },
    ],
    tools: TOOLS,
    options: {
      temperature: 0.5,
      stop: ['END'],
      providerOptions: { [adapter]: { x_nested: { list: [1, 2] } } },
    },
  });
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(value[key as keyof typeof value]);
  }
  return value;
}

/** Writable objects only: a frozen constant may be shared. */
function sharedObject(a: ModelResponse, b: ModelResponse): object | undefined {
  const seen = new Set<unknown>();
  const walk = (value: unknown, visit: (value: object) => void) => {
    if (typeof value !== 'object' || value === null) return;
    visit(value);
    for (const inner of Object.values(value)) walk(inner, visit);
  };
  walk(a, (value) => seen.add(value));
  let shared: object | undefined;
  walk(b, (value) => {
    if (seen.has(value) && Object.keys(value).length > 0) shared ??= value;
  });
  return shared;
}

function ownCapture(response: ModelResponse, own: string): void {
  if (response.metadata === undefined || !('_raw' in response.metadata)) return;
  const sent = JSON.stringify((response.metadata['_wire'] as { body?: unknown } | undefined)?.body ?? '');
  holds(sent.includes(own), `the captured request belongs to another call: ${sent.slice(0, 200)}`);
}
