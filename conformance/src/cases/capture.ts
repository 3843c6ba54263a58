import type { CallOptions, Metadata, ModelRequest, ModelResponse } from '@glassloop/core/adapter';
import type { RecordedRequest, ScriptedTurn, WireReply } from '@glassloop/simulator';
import { type Bench, type Provider, replay } from '../bench.ts';
import { bothModes } from '../case.ts';
import { holds, rejection, same, sameJson, shown } from '../check.ts';
import { CONVERSATION, TOOLS, user } from '../fixtures.ts';

/** Anything but `true` itself is off. */
const OFF: readonly (readonly [name: string, options: CallOptions])[] = [
  ['no directive', {}],
  ['undefined', directive(undefined)],
  ['false', directive(false)],
  ['1', directive(1)],
  ["'true'", directive('true')],
];
const ON: CallOptions = { _capture_raw: true };

/** The situations in which capture must change nothing: plain, tools, thinking, failure. */
const SITUATIONS: readonly { name: string; turn: ScriptedTurn; request: Partial<ModelRequest> }[] = [
  { name: 'plain', turn: { say: 'It is noon.' }, request: { messages: [user('Time?')] } },
  {
    name: 'with tools',
    turn: {
      say: 'Let me look.',
      callTools: [{ id: 'call00003', name: 'weather', arguments: { city: 'Oslo' } }],
    },
    request: { messages: CONVERSATION, tools: TOOLS },
  },
  {
    name: 'with thinking',
    turn: { think: 'Hm.', opaque: 'c3RhdGU=', say: '<think>hm</think>It is noon.' },
    request: { messages: [user('Time?')], options: { thinking: true } },
  },
  {
    name: 'a failure',
    turn: { fail: { status: 429, message: 'slow down' } },
    request: { messages: [user('Hi')] },
  },
];

export const captureCases = bothModes({
  'capture.request-bytes': {
    title: 'Capture changes no byte of a request: line, headers in their order and spelling, body',
    why: 'The directive leaked into bodies; a tracing header turned a debugging switch into another request.',
    async run(bench) {
      for (const { name, turn, request } of SITUATIONS) {
        const variants = [...OFF, ['true', ON] as const];
        const provider = await bench.provider(...variants.map(() => turn));
        for (const [, options] of variants) await settled(provider, request, options);

        const [first, ...others] = provider.exchanges.map((exchange) => wireText(exchange.request));
        for (const [index, text] of others.entries()) {
          same(
            text,
            first,
            `${name}: the request with _capture_raw ${variants[index + 1]?.[0]}, against one without`,
          );
        }
        holds(!first?.includes('_capture_raw'), `${name}: the directive is in the request`);
      }
    },
  },
  'capture.results': {
    title: 'Without capture a result is, to the key order, the captured one without _raw and _wire',
    why: 'A debugging switch that changes answers debugs another program.',
    async run(bench) {
      for (const { name, turn, request } of SITUATIONS) {
        const provider = await sameBytes(bench, turn, request, 2);
        const off = await settled(provider, request, {});
        const on = await settled(provider, request, ON);

        sameJson(
          withoutIds(bench, off),
          withoutIds(bench, withoutCapture(on)),
          `${name}: the result without capture`,
        );
      }
    },
  },
  'capture.only-true': {
    title: "Only `true` itself captures: false, 1 and 'true' do not",
    why: 'A gate written as `!== undefined` captures when somebody says false.',
    async run(bench) {
      const provider = await bench.provider(...OFF.map(() => ({ say: 'Hi.' })));
      for (const [name, options] of OFF) {
        const { metadata = {} } = await provider.ask({ options });

        same('_raw' in metadata, false, `_capture_raw ${name}: metadata holds _raw`);
        same('_wire' in metadata, false, `_capture_raw ${name}: metadata holds _wire`);
      }
    },
  },
  'capture.metadata-absent': {
    title: 'Without capture there is no empty metadata object and no undefined in its place',
    why: 'Results are compared and stored; a key that is sometimes there is a difference.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Hi.' });
      const response = await provider.ask();

      if ('metadata' in response) {
        const facts = response.metadata;
        holds(facts !== undefined && Object.keys(facts).length > 0, `metadata is ${shown(facts)}`);
      }
      const unset = Object.entries(response).filter(([, value]) => value === undefined);
      same(unset, [], 'keys of the response that are undefined');
    },
  },
  'capture.raw': {
    title:
      '_raw is the decoded body the provider sent: unknown fields, key order, big numbers; events for a stream',
    why: 'SDKs rename, drop and validate fields; what they hand over is not what was sent.',
    async run(bench) {
      const extra = { zz_unknown: { zeta: 1, alpha: [null, 'ü'] }, zz_big: 1, empty: {} };
      const enlarged = (json: string) => json.replace(/"zz_big":\s*1/, '"zz_big":12345678901234567890');
      for (const { name, turn, request } of SITUATIONS) {
        const first = await bench.provider('fail' in turn ? turn : { ...turn, extra });
        await settled(first, request, {});
        const reply = first.exchange(0).reply!;
        const provider = await bench.provider(replay(reply, enlarged));
        const { metadata } = await settledFacts(provider, request, ON);

        const expected: unknown = JSON.parse(enlarged(JSON.stringify(reply.body)));
        sameJson(metadata?.['_raw'], expected, `${name}: _raw, against what was sent`);
      }
    },
  },
  'capture.wire': {
    title: '_wire is the request as it was sent, body to the byte, without any secret',
    why: 'What a library thinks it sent and what it sent differ exactly when somebody looks.',
    async run(bench) {
      const { turn, request } = SITUATIONS[1]!;
      const provider = await bench.provider(turn);
      const { metadata } = await provider.ask({ ...request, options: ON });

      const wire = (metadata?.['_wire'] ?? {}) as { method?: unknown; url?: unknown; body?: unknown };
      const sent = provider.exchange(0).request;
      same(wire.body, sent.bodyText, '_wire.body');
      same(wire.method, sent.method, '_wire.method');
      same(new URL(String(wire.url)).pathname, sent.path, 'path of _wire.url');
    },
  },
  'capture.nothing-injected': {
    title:
      'Without capture the given fetch is called once, and its Response is used as it is: no clone, no wrapper',
    alone: true,
    why: 'A clone buffers every body twice; a wrapper that is only there to be off still costs.',
    async run(bench) {
      for (const [name, options] of OFF) {
        const spy = new FetchSpy();
        const provider = await bench.providerWith({ fetch: spy.fetch }, { say: 'Hi.' });
        const made = await responsesMade(() => provider.ask({ options }));

        same(made, 0, `_capture_raw ${name}: Responses made by hand`);
        same(spy.calls, 1, `_capture_raw ${name}: calls of the given fetch`);
        same(spy.clones, 0, `_capture_raw ${name}: clones of the Response or its body`);
        same(spy.changed(), [], `_capture_raw ${name}: properties of the Response that were put or replaced`);
      }
    },
  },
  'capture.per-call': {
    title: 'Capture belongs to one call: the one before and the one after are not captured',
    why: 'A client switched to capture once stayed so, and kept every body from then on.',
    async run(bench) {
      const provider = await bench.provider({ say: 'One.' }, { say: 'Two.' }, { say: 'Three.' });
      const before = await provider.ask();
      const during = await provider.ask({ options: ON });
      const after = await provider.ask();

      const captured = [before, during, after].map(
        ({ metadata }) => metadata !== undefined && '_raw' in metadata,
      );
      same(captured, [false, true, false], 'calls that hold _raw');
    },
  },
});

function directive(value: unknown): CallOptions {
  return { _capture_raw: value } as unknown as CallOptions;
}

type Settled = { readonly response: ModelResponse } | { readonly error: object };

/** The whole outcome of a call as data: what it answered, or all fields of what it threw. */
async function settled(
  provider: Provider,
  request: Partial<ModelRequest>,
  options: CallOptions,
): Promise<Settled> {
  const call = provider.ask({ ...request, options: { ...request.options, ...options } });
  try {
    return { response: await call };
  } catch (error) {
    const { name, message } = error as Error;
    return { error: { name, message, ...(error as object) } };
  }
}

async function settledFacts(
  provider: Provider,
  request: Partial<ModelRequest>,
  options: CallOptions,
): Promise<{ metadata?: Metadata }> {
  const outcome = await settled(provider, request, options);
  return 'response' in outcome ? outcome.response : outcome.error;
}

/** A provider that gives the same bytes `times` times, so that two results can be equal. */
async function sameBytes(
  bench: Bench,
  turn: ScriptedTurn,
  request: Partial<ModelRequest>,
  times: number,
): Promise<Provider> {
  const first = await bench.provider(turn);
  await rejection(first.ask(request)).catch(() => {});
  const reply: WireReply = first.exchange(0).reply!;
  return bench.provider(...Array.from({ length: times }, () => replay(reply)));
}

function withoutCapture(outcome: Settled): Settled {
  const strip = (holder: object): object =>
    Object.fromEntries(
      Object.entries(holder).flatMap(([key, value]) => {
        if (key !== 'metadata') return [[key, value]];
        const { _raw, _wire, ...rest } = value as Metadata;
        return Object.keys(rest).length === 0 ? [] : [[key, rest]];
      }),
    );
  return 'response' in outcome
    ? { response: strip(outcome.response) as ModelResponse }
    : { error: strip(outcome.error) };
}

/** Where the provider gives no ids, those the adapter makes up differ from call to call. */
function withoutIds(bench: Bench, outcome: Settled): unknown {
  if (bench.wire.can.callIds || !('response' in outcome)) return outcome;
  let text = JSON.stringify(outcome);
  for (const [index, { id }] of outcome.response.message.toolCalls.entries())
    text = text.replaceAll(id, `call ${index}`);
  return JSON.parse(text);
}

/** Everything of a request that goes over the wire. */
function wireText({ method, path, query, rawHeaders, bodyText }: RecordedRequest): string {
  const headers = rawHeaders.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}?${query}`, ...headers, '', bodyText].join('\n');
}

/** How many Responses are made by hand meanwhile; the platform's own fetch makes its without the constructor. */
async function responsesMade(call: () => Promise<unknown>): Promise<number> {
  const OwnResponse = globalThis.Response;
  let made = 0;
  globalThis.Response = new Proxy(OwnResponse, {
    construct(target, args, newTarget) {
      made++;
      return Reflect.construct(target, args, newTarget);
    },
  });
  try {
    await call();
  } finally {
    globalThis.Response = OwnResponse;
  }
  return made;
}

/** Lets a real fetch through and watches what becomes of its Response. */
class FetchSpy {
  calls = 0;
  clones = 0;
  readonly #seen: { response: Response; own: PropertyDescriptorMap }[] = [];

  readonly fetch: typeof fetch = async (input, init) => {
    this.calls++;
    const response = await fetch(input, init);
    this.#count(response, 'clone');
    if (response.body !== null) this.#count(response.body, 'tee');
    this.#seen.push({ response, own: Object.getOwnPropertyDescriptors(response) });
    return response;
  };

  #count<Name extends string>(target: { [name in Name]: () => unknown }, name: Name): void {
    const method = target[name].bind(target);
    const counted = () => {
      this.clones++;
      return method();
    };
    Object.defineProperty(target, name, { value: counted });
  }

  /** Own properties that are not as they were when the Response was handed out. */
  changed(): string[] {
    return this.#seen.flatMap(({ response, own }) => {
      const now: PropertyDescriptorMap = Object.getOwnPropertyDescriptors(response);
      return [...new Set([...Reflect.ownKeys(own), ...Reflect.ownKeys(now)])]
        .filter((key) => !isSame(own[key as string], now[key as string]))
        .map(String);
    });
  }
}

function isSame(a: PropertyDescriptor | undefined, b: PropertyDescriptor | undefined): boolean {
  return a?.value === b?.value && a?.get === b?.get;
}
