/**
 * Lines in, the state of a run out. The same code for a live run, a stored one, a file and a report, so that all four
 * look alike. Knows no page: whoever shows it listens.
 */

import type { Message, Range, RunStep } from '@glassloop/core';
import { TRACE_VERSION, type TraceProblem, TraceReader } from '@glassloop/core/trace-file';
import type { DeltaLine, LiveOnlyLine, RunLine, RunningLine } from '../../protocol.ts';
import { type StepSummary, summarize } from './step-summary.ts';
import { MOST_UNREAD, rawLine, type UnreadLine, unreadLine } from './unread.ts';

/** The answer that is being received. */
export interface OpenAnswer {
  readonly round: number;
  /** Unix milliseconds of the first piece. */
  readonly since: number;
  text: string;
  thinking: string;
  readonly calls: { id?: string; name?: string; args: string }[];
}

export interface RunningCall extends Omit<RunningLine, 'type'> {
  /** Unix milliseconds. */
  readonly since: number;
}

/** Everything of one round, by index into `steps`. */
export interface Round {
  readonly round: number;
  readonly steps: number[];
  request?: number;
  response?: number;
  readonly tools: number[];
  failures: number;
}

export type Connection = 'live' | 'reconnecting' | 'unreachable' | 'closed';

/** Where the whole steps are: in memory, or read from a file when asked for. */
export interface StepBodies {
  get(index: number): RunStep | Promise<RunStep>;
}

const LIVE_TYPES = new Set(['running', 'delta', 'ping', 'end']);

export class TraceStore {
  header: RunLine | undefined;
  readonly steps: StepSummary[] = [];
  readonly rounds = new Map<number, Round>();
  readonly unread: UnreadLine[] = [];
  /** Lines beyond the first thousand that could not be read. */
  unreadBeyond = 0;
  /** What the end line of the live stream said; a file has none. */
  endStatus: string | undefined;
  endDetail: string | undefined;
  connection: Connection = 'closed';
  open: OpenAnswer | undefined;
  readonly running = new Map<string, RunningCall>();
  /** Index of the first message each step adds to the log of all messages. */
  readonly firstMessage: number[] = [];
  messages = 0;
  bodies: StepBodies;
  /** Milliseconds this computer's clock is ahead of the server's; undefined for a file. */
  clockAhead: number | undefined;
  lastSeq = 0;
  /** Whether the last line of the file has no line break and cannot be read. */
  endsMidLine = false;

  readonly #kept: RunStep[] = [];
  readonly #reader = new TraceReader();
  readonly #firstCalls = new Map<string, number>();
  readonly #repeats = new Map<number, number>();
  readonly #listeners = new Set<() => void>();
  #knownProblems = 0;
  #lines = 0;

  constructor() {
    const kept = this.#kept;
    this.bodies = {
      get(index) {
        const step = kept[index];
        if (step === undefined) throw new RangeError(`There is no step ${index + 1}.`);
        return step;
      },
    };
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** One line of a stream or a file. `isCut`: nothing followed it, not even a line break. */
  readLine(text: string, isCut = false): void {
    const live = liveLine(text);
    if (this.newerVersion !== undefined) this.#acceptRaw(text, live);
    else if (live !== undefined) this.#acceptLive(live);
    else if (!this.#isDuplicate(text)) this.#acceptTraceLine(text, isCut);
    this.changed();
  }

  /** A step whose body is elsewhere. */
  addSummary(summary: StepSummary): void {
    this.steps.push(summary);
    this.firstMessage.push(this.messages);
    this.messages += summary.added?.length ?? 0;
    this.#file(summary);
    this.#closeOpen(summary);
  }

  addUnread(line: UnreadLine | undefined): void {
    if (line === undefined) return;
    if (this.unread.length < MOST_UNREAD) this.unread.push(line);
    else this.unreadBeyond++;
  }

  /** Index of the earlier call with the same name and arguments. */
  repeatOf(index: number): number | undefined {
    return this.#repeats.get(index);
  }

  /** The step that answered a call, or asked for it. */
  stepOfCall(callId: string, kind: 'tool' | 'response', round: number): number | undefined {
    const facts = this.rounds.get(round);
    if (kind === 'tool') return facts?.tools.find((index) => this.steps[index]?.callId === callId);
    const response = facts?.response;
    return response !== undefined && this.steps[response]?.calls?.some((call) => call.id === callId)
      ? response
      : undefined;
  }

  /** The messages that a request consisted of, put together from its ranges; without the first `skip` of them. */
  messagesSent(index: number, skip = 0): readonly Message[] | Promise<readonly Message[]> {
    const sent = withoutFirst(this.steps[index]?.sent ?? [], skip);
    const wanted = this.steps.filter(
      (step) => (step.added?.length ?? 0) > 0 && sent.some((range) => overlaps(range, this.#rangeOf(step))),
    );
    const bodies = wanted.map((step) => this.bodies.get(step.index));
    const assemble = (loaded: readonly RunStep[]) => {
      const log = new Map<number, Message>();
      for (const [place, step] of loaded.entries()) {
        if (step.kind !== 'assembled' && step.kind !== 'request') continue;
        const first = this.firstMessage[wanted[place]!.index]!;
        for (const [offset, message] of step.added.entries()) log.set(first + offset, message);
      }
      const messages: Message[] = [];
      for (const [start, end] of sent) {
        for (let at = start; at < Math.min(end, this.messages); at++) {
          const message = log.get(at);
          if (message !== undefined) messages.push(message);
        }
      }
      return messages;
    };
    return bodies.every((body) => !(body instanceof Promise))
      ? assemble(bodies as readonly RunStep[])
      : Promise.all(bodies).then(assemble);
  }

  /** The version of a trace that this page must not read; its lines are shown as they are. */
  get newerVersion(): number | undefined {
    const version = this.header?.version ?? 0;
    return version > TRACE_VERSION ? version : undefined;
  }

  /** Unix milliseconds at which the run began: no step is older. */
  get origin(): number {
    const first = this.steps[0];
    if (first === undefined) return Date.parse(this.header?.startedAt ?? '') || 0;
    return first.at - (first.durationMs ?? 0);
  }

  /** Unix milliseconds of the last thing known, by the server's clock; of a running run, now. */
  get latest(): number {
    if (this.isRunning) return this.serverNow();
    let latest = this.origin;
    for (const step of this.steps) if (step.at > latest) latest = step.at;
    return latest;
  }

  get isRunning(): boolean {
    return this.end === undefined && this.endStatus === undefined && this.connection !== 'closed';
  }

  get end(): StepSummary | undefined {
    const last = this.steps.at(-1);
    return last?.kind === 'end' ? last : this.steps.findLast((step) => step.kind === 'end');
  }

  serverNow(): number {
    return Date.now() - (this.clockAhead ?? 0);
  }

  #acceptTraceLine(text: string, isCut: boolean): void {
    this.#lines++;
    const step = this.#reader.read(text, isCut);
    const header = this.#reader.header;
    if (header !== undefined && this.header === undefined) this.header = header as unknown as RunLine;
    if (this.newerVersion !== undefined) {
      this.addUnread(rawLine(this.#lines, text));
      return;
    }
    if (step !== undefined) this.#acceptStep(step, text);
    this.#takeProblems(text, isCut);
  }

  /** What the stream says about itself is still understood; what the file says is not. */
  #acceptRaw(text: string, live: LiveOnlyLine | undefined): void {
    if (this.connection !== 'closed' && typeof live?.t === 'number') {
      this.#acceptLive(live);
      return;
    }
    this.#lines++;
    const line = rawLine(this.#lines, text);
    if (line !== undefined) this.lastSeq++;
    this.addUnread(line);
  }

  #acceptStep(step: RunStep, text: string): void {
    this.lastSeq++;
    try {
      const summary = summarize(step, this.steps.length);
      this.#kept.push(step);
      this.addSummary(summary);
    } catch {
      this.#addProblem({ line: this.#lines, message: 'A step with fields of a wrong type; left out.' }, text);
    }
    if (this.connection === 'live') this.#setClock(step.at);
  }

  #takeProblems(text: string, isCut: boolean): void {
    if (this.unread.length + this.unreadBeyond >= MOST_UNREAD) return;
    // `end()` adds what only the whole file can tell; those are said by the status of the run.
    const found = this.#reader
      .end()
      .filter(
        ({ message }) =>
          !message.startsWith('The first line is no') && !message.startsWith('The trace has no end step'),
      );
    for (const problem of found.slice(this.#knownProblems)) this.#addProblem(problem, text);
    if (found.length > this.#knownProblems && isCut) this.endsMidLine = true;
    this.#knownProblems = found.length;
  }

  #addProblem(problem: TraceProblem, text: string): void {
    this.addUnread(unreadLine(problem, text, this.steps.length));
  }

  /** After a reconnect the server may say again what is already here. */
  #isDuplicate(text: string): boolean {
    if (this.connection === 'closed') return false;
    const match = /^\s*\{"type":"(run|step)","seq":(\d+)/.exec(text);
    if (match === null) return false;
    const seq = Number(match[2]);
    return match[1] === 'run' ? this.header !== undefined : seq <= this.lastSeq;
  }

  #acceptLive(line: LiveOnlyLine): void {
    const at = (Date.parse(this.header?.startedAt ?? '') || 0) + line.t;
    this.#setClock(at);
    switch (line.type) {
      case 'running':
        if (this.stepOfCall(line.callId, 'tool', line.round) === undefined)
          this.running.set(line.callId, { ...line, since: at });
        return;
      case 'delta':
        this.#acceptDelta(line, at);
        return;
      case 'end':
        this.endStatus = String(line.status);
        this.endDetail = line.detail;
        this.open = undefined;
        this.running.clear();
        return;
      case 'ping':
        return;
    }
  }

  #acceptDelta(line: DeltaLine, at: number): void {
    if (this.rounds.get(line.round)?.response !== undefined) return;
    if (this.open?.round !== line.round) {
      this.open = { round: line.round, since: at, text: '', thinking: '', calls: [] };
    }
    const { open } = this;
    if (line.channel === 'args') {
      const place = line.call ?? 0;
      if (!(place >= 0 && place < 1000)) return;
      while (open.calls.length <= place) open.calls.push({ args: '' });
      const call = open.calls[place]!;
      if (line.callId !== undefined) call.id = line.callId;
      if (line.name !== undefined) call.name = line.name;
      call.args = line.reset ? line.text : call.args + line.text;
    } else {
      open[line.channel] = line.reset ? line.text : open[line.channel] + line.text;
    }
  }

  #closeOpen(step: StepSummary): void {
    if (step.kind !== 'tool' && this.open?.round === step.round) this.open = undefined;
    if (step.kind === 'end') {
      this.open = undefined;
      this.running.clear();
    }
    if (step.callId !== undefined) this.running.delete(step.callId);
  }

  #file(step: StepSummary): void {
    if (step.round < 1) return;
    let round = this.rounds.get(step.round);
    if (round === undefined) {
      round = { round: step.round, steps: [], tools: [], failures: 0 };
      this.rounds.set(step.round, round);
    }
    if (step.kind === 'end') return;
    round.steps.push(step.index);
    if (step.failed) round.failures++;
    if (step.kind === 'request') round.request = step.index;
    else if (step.kind === 'response') round.response = step.index;
    else if (step.kind === 'tool') {
      round.tools.push(step.index);
      const first = this.#firstCalls.get(step.callKey ?? '');
      if (first === undefined) this.#firstCalls.set(step.callKey ?? '', step.index);
      else this.#repeats.set(step.index, first);
    }
  }

  #rangeOf(step: StepSummary): readonly [number, number] {
    const first = this.firstMessage[step.index]!;
    return [first, first + (step.added?.length ?? 0)];
  }

  #setClock(serverTime: number): void {
    // The smallest difference seen is the one with the shortest way between the two clocks.
    const ahead = Date.now() - serverTime;
    if (this.clockAhead === undefined || ahead < this.clockAhead) this.clockAhead = ahead;
  }
}

/** The line, when it is one that exists only live. */
function liveLine(text: string): LiveOnlyLine | undefined {
  // Lines of a trace file begin with their type; parsing those twice would cost the most of all.
  if (/^\s*\{"type":"(run|step)"/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as Record<string, unknown> | null;
    const isLive = typeof value === 'object' && value !== null && LIVE_TYPES.has(String(value['type']));
    return isLive ? (value as unknown as LiveOnlyLine) : undefined;
  } catch {
    return undefined;
  }
}

function overlaps(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[0] < b[1] && b[0] < a[1];
}

function withoutFirst(ranges: readonly Range[], skip: number): readonly Range[] {
  let left = skip;
  return ranges.flatMap(([start, end]): Range[] => {
    const taken = Math.min(left, end - start);
    left -= taken;
    return start + taken < end ? [[start + taken, end]] : [];
  });
}
