import type { RunStep } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LiveOnlyLine } from '../../protocol.ts';
import { indexTrace, TraceIndexer } from '../trace-index.ts';
import { LineSplitter } from './line-splitter.ts';
import { idleGaps, totalsOf, wallTime } from './measure.ts';
import { rowsOf } from './rows.ts';
import { stateOf } from './run-status.ts';
import { TraceStore } from './trace-store.ts';

const START = 1_772_356_442_000;
const call = { id: 'c1', name: 'look_up', argumentsJson: '{"word":"🦉"}' };

const STEPS: readonly RunStep[] = [
  {
    kind: 'assembled',
    round: 0,
    at: START,
    settings: {
      adapter: 'stage',
      model: 'm',
      options: {},
      maxRounds: 3,
      limits: { repeats: 5 },
      retry: { maxRetries: 2, baseDelayMs: 500, maxDelayMs: 60_000 },
      toolConcurrency: 8,
      toolTimeoutMs: 120_000,
    },
    added: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'What is an owl? 🦉' },
    ],
    sources: [],
    dropped: [],
    tools: [],
    warnings: [],
  },
  { kind: 'request', round: 1, at: START + 2, added: [], sent: [[0, 2]], toolsOffered: [], attempt: 1 },
  {
    kind: 'response',
    round: 1,
    at: START + 102,
    durationMs: 100,
    message: { role: 'assistant', content: 'I look it up.', toolCalls: [call] },
    finishReason: 'tool_calls',
    usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 },
    raw: { text: 'x'.repeat(200_000) },
  },
  { kind: 'tool', round: 1, at: START + 132, durationMs: 30, call, result: 'A bird.', isError: false },
  {
    kind: 'request',
    round: 2,
    at: START + 134,
    added: [
      { role: 'assistant', content: 'I look it up.', toolCalls: [call] },
      { role: 'tool', toolCallId: 'c1', toolName: 'look_up', content: 'A bird.', isError: false },
    ],
    sent: [[0, 4]],
    toolsOffered: [],
    attempt: 1,
  },
  {
    kind: 'response',
    round: 2,
    at: START + 234,
    durationMs: 100,
    message: { role: 'assistant', content: 'An owl is a bird.', toolCalls: [] },
    finishReason: 'stop',
    usage: { promptTokens: 20, completionTokens: 5, totalTokens: 25 },
  },
  {
    kind: 'end',
    round: 2,
    at: START + 235,
    durationMs: 235,
    stopReason: 'completed',
    rounds: 2,
    usage: { totalTokens: 37 },
    unpricedRounds: 2,
  },
];

const HEADER = encodeTraceHeader({ id: 'r', startedAt: new Date(START).toISOString(), capturesRaw: true });
const LINES = [HEADER, ...STEPS.map((step, index) => encodeStep(step, index + 1))];

function liveOnly(line: LiveOnlyLine): string {
  const { type, ...rest } = line;
  return `${JSON.stringify({ type, ...rest })}\n`;
}

/** The file's lines with what only a live stream has between them. */
const LIVE = [
  ...LINES.slice(0, 3),
  liveOnly({ type: 'delta', seq: 2, t: 50, round: 1, channel: 'text', text: 'I look' }),
  liveOnly({
    type: 'delta',
    seq: 2,
    t: 60,
    round: 1,
    channel: 'args',
    call: 0,
    text: '{"wo',
    name: 'look_up',
  }),
  LINES[3]!,
  liveOnly({ type: 'running', seq: 3, t: 103, round: 1, callId: 'c1', name: 'look_up' }),
  liveOnly({ type: 'ping', seq: 3, t: 120 }),
  ...LINES.slice(4),
  liveOnly({ type: 'end', seq: 7, t: 240, status: 'completed' }),
];

/** What is left of a store when the run is over: all that a reader can see. */
function stateOfStore(store: TraceStore) {
  return {
    header: store.header,
    steps: store.steps,
    bodies: store.steps.map(({ index }) => store.bodies.get(index)),
    rounds: [...store.rounds.values()],
    unread: store.unread,
    open: store.open,
    running: [...store.running],
    state: stateOf(store),
    totals: totalsOf(store),
    wall: wallTime(store),
    rows: rowsOf(store, new Set(), undefined),
  };
}

function readWhole(text: string): TraceStore {
  const store = new TraceStore();
  const lines = text.split('\n');
  for (const [index, line] of lines.entries())
    if (line !== '') store.readLine(line, index === lines.length - 1);
  return store;
}

const FILE = stateOfStore(readWhole(LINES.join('')));

function readPieces(store: TraceStore, bytes: Uint8Array, cuts: readonly number[]): void {
  const splitter = new LineSplitter();
  const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    for (const line of splitter.push(bytes.subarray(from, to))) if (line.trim() !== '') store.readLine(line);
    from = to;
  }
}

describe('a trace store', () => {
  it('C130 lines cut at arbitrary bytes, padded or with blank lines between give the same state as the file', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(400_000), { maxLength: 40 }), fc.nat(3), (cuts, padding) => {
        const padded = LIVE.map((line) =>
          line.replace('\n', `${' '.repeat(padding * 40)}\n${'\n'.repeat(padding)}`),
        );
        const store = new TraceStore();
        store.connection = 'live';
        readPieces(store, new TextEncoder().encode(padded.join('')), cuts);
        store.connection = 'closed';
        expect(stateOfStore(store)).toEqual(FILE);
      }),
      { numRuns: 60 },
    );
  });

  it('C130 a connection that breaks anywhere and comes back gives the same state', () => {
    fc.assert(
      fc.property(fc.nat(LIVE.length), fc.nat(3), (at, overlap) => {
        const store = new TraceStore();
        store.connection = 'live';
        for (const line of LIVE.slice(0, at)) store.readLine(line.trimEnd());
        // The server says again what came after the last line that is known, and perhaps some before it.
        const again = LINES.slice(Math.max(0, store.header === undefined ? 0 : store.lastSeq + 1 - overlap));
        for (const line of again) store.readLine(line.trimEnd());
        store.readLine(LIVE.at(-1)!.trimEnd());
        store.connection = 'closed';
        expect(stateOfStore(store)).toEqual(FILE);
      }),
    );
  });

  it('C130 a broken line is a row of its own and stops nothing', () => {
    const store = readWhole(
      [...LINES.slice(0, 3), 'not json\n', '{"type":"thought","seq":9}\n', ...LINES.slice(3)].join(''),
    );
    expect(store.steps).toHaveLength(STEPS.length);
    expect(store.unread.map(({ line, after }) => [line, after])).toEqual([
      [4, 2],
      [5, 2],
    ]);
    const unread = rowsOf(store, new Set(), undefined).rows.filter((row) => row.type === 'unread');
    expect(unread).toHaveLength(2);
  });

  it('a file that ends mid-line says so, one without an end is interrupted', () => {
    const store = readWhole(LINES.join('').slice(0, -30));
    expect(store.endsMidLine).toBe(true);
    expect(stateOf(store)).toMatchObject({ status: 'interrupted', round: 2 });
  });

  it('while it runs there is a row that waits, then one that runs', () => {
    const store = new TraceStore();
    store.connection = 'live';
    for (const line of LIVE.slice(0, 5)) store.readLine(line.trimEnd());
    expect(rowsOf(store, new Set(), undefined).rows.at(-1)).toMatchObject({ type: 'waiting', round: 1 });
    expect(store.open).toMatchObject({ text: 'I look', calls: [{ name: 'look_up', args: '{"wo' }] });
    for (const line of LIVE.slice(5, 7)) store.readLine(line.trimEnd());
    expect(store.open).toBeUndefined();
    expect(rowsOf(store, new Set(), undefined).rows.at(-1)).toMatchObject({ type: 'running' });
    store.readLine(LIVE[8]!.trimEnd());
    expect(store.running.size).toBe(0);
  });

  it('puts the messages of a request together from its ranges', () => {
    const store = readWhole(LINES.join(''));
    expect(store.messagesSent(4)).toEqual([...STEPS[0]!['added' as never], ...STEPS[4]!['added' as never]]);
    expect(store.messagesSent(4, 3)).toEqual([STEPS[4]!['added' as never][1]]);
  });

  it('a step with fields of a wrong type is said to be unreadable', () => {
    const odd = { kind: 'response', round: 1, message: 7, finishReason: 'stop', usage: {}, durationMs: 1 };
    const store = readWhole(
      `${HEADER}${JSON.stringify({ type: 'step', seq: 1, step: { ...odd, message: null } })}\n`,
    );
    expect(store.steps.length + store.unread.length).toBe(1);
  });

  it('a second call with the same arguments is a repeat', () => {
    const again = { ...STEPS[3]!, at: START + 300 } as RunStep;
    const store = readWhole([...LINES.slice(0, 5), encodeStep(again, 5)].join(''));
    expect(store.repeatOf(4)).toBe(3);
  });
});

describe('a trace of a newer version', () => {
  const NEWER = [
    HEADER.replace('"version":1', '"version":2'),
    ...LINES.slice(1),
    '\n',
    '{"type":"end","status":"of another kind"}\n',
    'not even JSON\n',
    'cut',
  ];
  const raw = (store: TraceStore) => store.unread.map(({ line, isRaw, text }) => [line, isRaw, text]);
  const wanted = NEWER.map((text, index) => [index + 1, true, text.trim().slice(0, 20_000)]).filter(
    ([, , text]) => text !== '',
  );

  it.each(['whole', 'by its index'])('is lines, %s', async (way) => {
    const store = new TraceStore();
    if (way === 'whole') {
      for (const line of NEWER) store.readLine(line.replace(/\n$/, ''), line === 'cut');
    } else {
      await indexTrace(new Blob(NEWER), new AbortController().signal, (part) => {
        if (part.header !== undefined) store.header = part.header;
        for (const line of part.unread) store.addUnread(line);
        expect([part.steps, part.endsMidLine]).toEqual([[], false]);
      });
    }
    expect(raw(store)).toEqual(wanted);
    expect(store.newerVersion).toBe(2);
    expect([store.steps, store.endsMidLine, stateOf(store).status]).toEqual([[], false, 'newer']);
    expect(rowsOf(store, new Set(), undefined).rows.every((row) => row.type === 'unread')).toBe(true);
  });

  it('comes from the server as lines too, and ends', () => {
    const store = new TraceStore();
    store.connection = 'live';
    for (const line of NEWER.slice(0, 4)) store.readLine(line.trim());
    expect(store.lastSeq).toBe(3);
    store.readLine(liveOnly({ type: 'end', seq: 3, t: 0, status: 'newer' }));
    expect([store.endStatus, store.isRunning, store.unread.length]).toEqual(['newer', false, 4]);
  });

  it('of which only so many lines are kept; the rest is counted', async () => {
    const many = [NEWER[0]!, ...Array.from({ length: 1500 }, (_, n) => `{"n":${n}}\n`)];
    const store = new TraceStore();
    for (const line of many) store.readLine(line.trim());
    expect([store.unread.length, store.unreadBeyond]).toEqual([1000, 501]);
    const counted = { unread: 0, beyond: 0 };
    await indexTrace(new Blob(many), new AbortController().signal, (part) => {
      counted.unread += part.unread.length;
      counted.beyond += part.unreadBeyond;
    });
    expect(counted).toEqual({ unread: 1000, beyond: 501 });
  });
});

describe('idle gaps', () => {
  const gapsOf = (...stretches: [start: number, end: number][]) => {
    const store = new TraceStore();
    store.readLine(HEADER.trim());
    for (const [index, [start, end]] of stretches.entries()) {
      const step = { ...(STEPS[3] as RunStep & { kind: 'tool' }), at: START + end, durationMs: end - start };
      store.readLine(encodeStep(step, index + 1).trim());
    }
    return idleGaps(store);
  };
  it('are longer than 10 s and than three times all that is busy', () => {
    expect(gapsOf([0, 1000], [11_001, 12_000])).toEqual([{ from: 1000, to: 11_001 }]);
    expect(gapsOf([0, 1000], [11_000, 12_000])).toEqual([]);
    expect(gapsOf([0, 4000], [16_000, 16_100])).toEqual([]);
    expect(gapsOf([0, 4000], [16_400, 16_500])).toEqual([{ from: 4000, to: 16_400 }]);
  });
  it('are not where something else went on, and are none while the run goes on', () => {
    expect(gapsOf([0, 100], [50, 20_000], [20_001, 20_100])).toEqual([]);
    expect(gapsOf([0, 1], [60_000, 60_001], [120_000, 120_001])).toHaveLength(2);
    expect(gapsOf()).toEqual([]);
    const store = new TraceStore();
    store.connection = 'live';
    for (const line of LINES.slice(0, 3)) store.readLine(line.trim());
    expect(idleGaps(store)).toEqual([]);
  });
});

describe('the index of a file', () => {
  it('is the same however the bytes come, and tells where each step is', () => {
    const bytes = new TextEncoder().encode(LINES.join(''));
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 8 }), fc.boolean(), (cuts, takesOften) => {
        const indexer = new TraceIndexer();
        const store = new TraceStore();
        const places: (readonly [number, number])[] = [];
        const take = () => {
          const part = indexer.take();
          for (const summary of part.steps) store.addSummary(summary);
          places.push(...part.places);
          return part;
        };
        const ends = [...cuts, bytes.length].sort((a, b) => a - b);
        let from = 0;
        for (const end of ends) {
          indexer.push(bytes.slice(from, end));
          from = end;
          if (takesOften) take();
        }
        indexer.end();
        const last = take();
        expect([last.read, last.endsMidLine, last.unread]).toEqual([bytes.length, false, []]);
        expect(store.steps).toHaveLength(STEPS.length);
        for (const [index, [start, end]] of places.entries()) {
          const line = new TextDecoder().decode(bytes.slice(start, end));
          expect(JSON.parse(line).step).toEqual(STEPS[index]);
        }
      }),
      { numRuns: 30 },
    );
  });
});
