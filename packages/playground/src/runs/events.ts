import type { DeltaLine, EndLine, PingLine, RunningLine, RunStatus } from '../protocol.ts';
import { withBlobRefs } from './blobs.ts';
import type { Lines } from './lines.ts';
import type { LiveRun } from './live-run.ts';
import { AnswerCursor } from './open-answer.ts';
import type { Secrets } from './secrets.ts';

const DELTA_EVERY_MS = 50;
const PING_EVERY_MS = 10_000;

/** What can be watched: a run that goes on here, or one that was read from a file. */
export interface Watched {
  readonly lines: Lines;
  readonly live?: LiveRun | undefined;
  /** Of a run that is over. */
  readonly status: RunStatus;
  readonly detail?: string | undefined;
}

/**
 * The lines of a run from `after` + 1 on, then live until it ends; last an `end` line. Trace lines come from the
 * store and live-only lines from the run's present state, so nothing is queued for a reader however slow it is.
 */
export async function* events(
  watched: Watched,
  options: {
    readonly after: number;
    readonly refs: boolean;
    readonly secrets: Secrets;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<string, void> {
  const { lines, live } = watched;
  const { signal, refs } = options;
  const cursor = new AnswerCursor(options.secrets);
  const announced = new Set<string>();
  const reader = await lines.open();
  let next = options.after + 1;
  let lastDelta = 0;
  let lastLine = performance.now();
  const liveLine = (line: RunningLine | DeltaLine | PingLine | EndLine, t: number) => {
    lastLine = performance.now();
    const { type, ...facts } = line;
    return `${JSON.stringify({ type, seq: next - 1, t, ...facts })}\n`;
  };
  try {
    while (!signal.aborted) {
      // From here to the wait nothing is awaited without starting over, so no change is slept through.
      if (next < lines.count) {
        const line = await reader.read(next++);
        lastLine = performance.now();
        yield refs ? withBlobRefs(line) : line;
        continue;
      }
      if (live === undefined || live.status !== 'running') {
        const status = (live?.status ?? watched.status) as EndLine['status'];
        const detail = live === undefined ? watched.detail : live.detail;
        const t = live?.t ?? 0;
        yield liveLine({ type: 'end', status, ...(detail === undefined ? {} : { detail }) }, t);
        return;
      }
      const started = [...live.running].find(([callId]) => !announced.has(callId));
      if (started !== undefined) {
        const [callId, { round, name, t }] = started;
        announced.add(callId);
        yield options.secrets.clean(liveLine({ type: 'running', round, callId, name }, t));
        continue;
      }
      const isBehind = cursor.isBehind(live.answer);
      const now = performance.now();
      if (isBehind && now >= lastDelta + DELTA_EVERY_MS) {
        lastDelta = now;
        for (const line of cursor.take(live.answer)) yield liveLine(line, live.t);
        continue;
      }
      if (now >= lastLine + PING_EVERY_MS) {
        yield liveLine({ type: 'ping' }, live.t);
        continue;
      }
      // While pieces are being joined, a step waits with them: at most DELTA_EVERY_MS.
      if (isBehind) await wait(lastDelta + DELTA_EVERY_MS - now, signal);
      else await wait(lastLine + PING_EVERY_MS - now, signal, live);
    }
  } finally {
    await reader.close();
  }
}

/** Until `ms` are over, the reader leaves or the run changes. */
function wait(ms: number, signal: AbortSignal, live?: LiveRun): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      stopListening?.();
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    const stopListening = live?.onChange(done);
  });
}

/** The generator as a response body; left when the reader goes. */
export function eventStream(
  watched: Watched,
  options: { readonly after: number; readonly refs: boolean; readonly secrets: Secrets },
): ReadableStream<Uint8Array> {
  const abort = new AbortController();
  const lines = events(watched, { ...options, signal: abort.signal });
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await lines.next();
        if (done === true) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        abort.abort();
        await lines.return();
      },
    },
    { highWaterMark: 0 },
  );
}
