import type { Adapter, ModelRequest } from '@glassloop/core/adapter';
import type { WireReply } from '@glassloop/simulator';
import { type Bench, KEY } from '../bench.ts';
import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { collect } from '../collector.ts';
import { user } from '../fixtures.ts';
import { plainServer } from '../plain-server.ts';

const MEGABYTE = 1_000_000;
const CALLS = 6;
/** Half of what stays when one megabyte per call is kept, and far above the noise of a collected heap. */
const MOST_GROWTH = (CALLS * MEGABYTE) / 2;

export const retentionCases = bothModes({
  'capture.body-released': {
    title: 'Without capture the decoded body and its text are collectable while the result is still held',
    why: 'Clients kept every body of a long-lived process in a cache, a closure or a hidden property.',
    alone: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.', extra: { zz_canary: PADDING } });
      await measured(bench, reply, async (call) => {
        const bodies = watchDecoded();
        try {
          await grown('bodies', () => call());
        } finally {
          bodies.stop();
        }

        holds(bodies.refs.length >= CALLS, `only ${bodies.refs.length} decoded bodies were seen`);
        same(
          bodies.refs.filter((ref) => ref.deref() !== undefined).length,
          0,
          'decoded bodies that are still alive',
        );
      });
    },
  },
  'capture.request-released': {
    title: 'A request is collectable after its call, while the result is still held',
    why: 'A result that points back at its request keeps every conversation of the process.',
    alone: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.' });
      await measured(bench, reply, async (call) => {
        const messages: WeakRef<object>[] = [];
        await grown('requests', (index) => {
          const message = user(`${index} ${Buffer.alloc(MEGABYTE, 'q').toString('latin1')}`);
          messages.push(new WeakRef(message));
          return call({ messages: [message] });
        });

        same(messages.filter((ref) => ref.deref() !== undefined).length, 0, 'messages that are still alive');
      });
    },
  },
  'capture.error-released': {
    title: 'The body of a failed call is collectable while the error is still held',
    why: 'A short excerpt cut out of a long text keeps the long text; an SDK error keeps the response.',
    alone: true,
    async run(bench) {
      const page = `<!doctype html>${PADDING}`;
      const reply = { status: 200, headers: { 'content-type': 'text/html' }, chunks: [page] };
      await measured(bench, reply, async (call) => {
        await grown('pages', () =>
          call().then(
            () => holds(false, 'a page was taken for an answer'),
            (error: unknown) => error,
          ),
        );
      });
    },
  },
  'capture.captured-released': {
    title: 'With capture the body lives as long as the result that holds it, and no longer',
    why: 'A recorder beside the result keeps what the caller has long thrown away.',
    alone: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.', extra: { zz_canary: PADDING } });
      await measured(bench, reply, async (call) => {
        await grown('captured bodies', async () => {
          const { metadata } = await call({ options: { _capture_raw: true } });
          return metadata !== undefined && '_raw' in metadata;
        });
      });
    },
  },
});

const PADDING = 'p'.repeat(MEGABYTE);

type Call = (request?: Partial<ModelRequest>) => ReturnType<Adapter['chat']>;

/** Calls against a server that keeps nothing itself; code and buffers that are made once are made before. */
async function measured(
  bench: Bench,
  reply: Pick<WireReply, 'status' | 'headers' | 'chunks'>,
  measure: (call: Call) => Promise<void>,
): Promise<void> {
  const server = await plainServer(reply);
  try {
    const adapter = bench.create({ baseURL: server.origin + bench.wire.basePath, apiKey: KEY });
    const call: Call = (request = {}) =>
      adapter.chat({
        messages: [user('Hi')],
        tools: [],
        options: {},
        ...(bench.mode === 'streamed' ? { onDelta: () => {} } : {}),
        ...request,
      });
    await call().catch(() => {});
    await call({ options: { _capture_raw: true } }).catch(() => {});
    await measure(call);
  } finally {
    await server.close();
  }
}

/** Makes several calls, holds what they gave, and compares the heap before and after. */
async function grown(what: string, call: (index: number) => Promise<unknown>): Promise<void> {
  await collect();
  const before = memory();
  const held: unknown[] = [];
  for (let index = 0; index < CALLS; index++) held.push(await call(index));
  await collect();
  const growth = memory() - before;
  holds(held.length === CALLS, 'results are held to here');
  const kept = `${(growth / MEGABYTE).toFixed(1)} MB of ${CALLS} MB`;
  holds(growth < MOST_GROWTH, `${what} of ${CALLS} calls are kept: ${kept} are still there after collection`);
}

function memory(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** Weak references to everything with our canary that anybody decodes meanwhile. */
function watchDecoded(): { readonly refs: WeakRef<object>[]; stop(): void } {
  const parse = JSON.parse;
  const refs: WeakRef<object>[] = [];
  JSON.parse = (text: string, reviver?: (this: unknown, key: string, value: unknown) => unknown) => {
    const value = parse(text, reviver);
    if (typeof value === 'object' && value !== null && 'zz_canary' in value) refs.push(new WeakRef(value));
    return value;
  };
  return {
    refs,
    stop: () => {
      JSON.parse = parse;
    },
  };
}
