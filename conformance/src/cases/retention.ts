import type { Adapter, ModelRequest } from '@glassloop/core/adapter';
import type { WireReply } from '@glassloop/simulator';
import { type Bench, KEY } from '../bench.ts';
import { bothModes } from '../case.ts';
import { holds } from '../check.ts';
import { collect } from '../collector.ts';
import { user } from '../fixtures.ts';
import { plainServer } from '../plain-server.ts';

/** Far more than a result and an error take, and little enough for parsers that read what came again with every piece. */
const BODY_BYTES = 250_000;
const CALLS = 8;
/** Half of what stays when every body is kept, and far above the noise of a collected heap. */
const MOST_GROWTH = (CALLS * BODY_BYTES) / 2;

export const retentionCases = bothModes({
  'capture.body-released': {
    title: 'Without capture the decoded body and its text are collectable while the result is still held',
    why: 'Clients kept every body of a long-lived process in a cache, a closure or a hidden property.',
    ownProcess: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.', extra: { zz_canary: PADDING } });
      await measured(bench, reply, async (call) => {
        const bodies = watchDecoded();
        try {
          await released('bodies', () => call(), bodies.refs);
        } finally {
          bodies.stop();
        }

        holds(bodies.refs.length >= CALLS, `only ${bodies.refs.length} decoded bodies were seen`);
      });
    },
  },
  'capture.request-released': {
    title: 'A request is collectable after its call, while the result is still held',
    why: 'A result that points back at its request keeps every conversation of the process.',
    ownProcess: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.' });
      await measured(bench, reply, async (call) => {
        const messages: WeakRef<object>[] = [];
        await released(
          'requests',
          (index) => {
            const message = user(`${index} ${Buffer.alloc(BODY_BYTES, 'q').toString('latin1')}`);
            messages.push(new WeakRef(message));
            return call({ messages: [message] });
          },
          messages,
        );
      });
    },
  },
  'capture.error-released': {
    title: 'The body of a failed call is collectable while the error is still held',
    why: 'A short excerpt cut out of a long text keeps the long text; an SDK error keeps the response.',
    ownProcess: true,
    async run(bench) {
      const page = `<!doctype html>${PADDING}`;
      const reply = { status: 200, headers: { 'content-type': 'text/html' }, chunks: [page] };
      await measured(bench, reply, async (call) => {
        await released('pages', () =>
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
    ownProcess: true,
    async run(bench) {
      const reply = await bench.replyFor({ say: 'Hi.', extra: { zz_canary: PADDING } });
      await measured(bench, reply, async (call) => {
        await released('captured bodies', async () => {
          const { metadata } = await call({ options: { _capture_raw: true } });
          return metadata !== undefined && '_raw' in metadata;
        });
      });
    },
  },
});

const PADDING = 'p'.repeat(BODY_BYTES);

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

/** Makes several calls, holds what they gave, and looks for what should be gone: in the heap, and behind `refs`. */
async function released(
  what: string,
  call: (index: number) => Promise<unknown>,
  refs: readonly WeakRef<object>[] = [],
): Promise<void> {
  // Texts outside of the heap are let go only by the collection after the one that finds them.
  await collect((rounds) => rounds === 2);
  const before = memory();
  const held: unknown[] = [];
  for (let index = 0; index < CALLS; index++) held.push(await call(index));
  const growth = () => memory() - before;
  const alive = () => refs.filter((ref) => ref.deref() !== undefined).length;
  const gone = () => growth() < MOST_GROWTH && alive() === 0;
  await collect(gone);
  holds(held.length === CALLS, 'results are held to here');
  const kept = `${megabytes(growth())} of ${megabytes(CALLS * BODY_BYTES)} and ${alive()} objects`;
  holds(gone(), `${what} of ${CALLS} calls are kept: ${kept} are still there after collection`);
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
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
