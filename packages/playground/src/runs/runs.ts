import { createHash, randomBytes } from 'node:crypto';
import type { Run } from '@glassloop/core';
import { TRACE_VERSION } from '@glassloop/core/trace-file';
import { RUN_ID, type RunFile, type RunFolder } from '../history/folder.ts';
import { readTrace, type StoredTrace } from '../history/read-trace.ts';
import { surplus } from '../history/retention.ts';
import { ProblemError } from '../http/problem.ts';
import type {
  ImportAnswer,
  Retention,
  RunLine,
  RunPatch,
  RunRequest,
  RunSummary,
  StepRow,
} from '../protocol.ts';
import { importTrace } from '../share/import.ts';
import type { Watched } from './events.ts';
import { GrowingLines } from './lines.ts';
import { LiveRun } from './live-run.ts';
import type { Secrets } from './secrets.ts';
import { type About, NOTHING_SAID } from './summary.ts';

/** A run, wherever it is. */
export interface KnownRun extends Watched {
  readonly id: string;
  readonly header: RunLine;
  readonly rows: readonly StepRow[];
  readonly summary: RunSummary;
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

interface InMemory {
  readonly run: LiveRun;
  about: About;
}

/** Traces that were read and may be asked for again. */
const MOST_CACHED = 16;
/** Runs that are not kept, until the server stops. */
const MOST_IN_MEMORY = 50;
const MOST_BYTES_IN_MEMORY = 256 * 1024 * 1024;
const MOST_KEYS = 1000;
const MOST_NEWEST = 200;

/** All runs: those that go on, those in memory, and those in the folder. */
export class Runs {
  readonly #folder: RunFolder | undefined;
  readonly #retention: Retention;
  readonly #secrets: Secrets;
  readonly #runningAtOnce: number;
  readonly #log: (line: string) => void;
  readonly #here = new Map<string, InMemory>();
  readonly #cache = new Map<
    string,
    { readonly version: string; readonly trace: Promise<StoredTrace | undefined> }
  >();
  readonly #started = new Map<string, { readonly digest: string; readonly run: Promise<LiveRun> }>();
  readonly #deleted = new Set<string>();
  /** Runs that have ended and are being put where they belong. */
  readonly #settling = new Set<Promise<void>>();

  constructor(facts: {
    readonly folder: RunFolder | undefined;
    readonly retention: Retention;
    readonly secrets: Secrets;
    readonly runningAtOnce: number;
    readonly log: (line: string) => void;
  }) {
    this.#folder = facts.folder;
    this.#retention = facts.retention;
    this.#secrets = facts.secrets;
    this.#runningAtOnce = facts.runningAtOnce;
    this.#log = facts.log;
  }

  get folder(): RunFolder | undefined {
    return this.#folder;
  }

  /** One run for one key: a request that is sent again, because its answer was lost, starts nothing. */
  once(key: string, body: string, start: () => Promise<LiveRun>): Promise<LiveRun> {
    const digest = createHash('sha256').update(body).digest('hex');
    const before = this.#started.get(key);
    if (before !== undefined) {
      if (before.digest === digest) return before.run;
      throw new ProblemError('idempotency_conflict', { hint: 'Use a new key for every new request.' });
    }
    const run = start();
    this.#started.set(key, { digest, run });
    // What could not be started may be tried again under its key.
    run.catch(() => this.#started.delete(key));
    if (this.#started.size > MOST_KEYS) this.#started.delete(this.#started.keys().next().value!);
    return run;
  }

  /** Resolves when the first step is recorded; rejects with what is wrong with the run otherwise. */
  async start(run: Omit<Run, 'signal' | 'onDelta'>, request: RunRequest): Promise<LiveRun> {
    const running = [...this.#here.values()].filter((entry) => entry.run.status === 'running').length;
    if (running >= this.#runningAtOnce) {
      throw new ProblemError('too_many_running', {
        hint: `At most ${this.#runningAtOnce} runs go on at the same time. Wait for one, or stop one.`,
      });
    }
    const id = randomBytes(6).toString('hex');
    const keeps = this.#folder !== undefined && request.keep !== false;
    const path = keeps ? this.#folder?.pathFor(id, new Date()) : undefined;
    const live = new LiveRun({ id, run, request, path, secrets: this.#secrets });
    const entry: InMemory = { run: live, about: NOTHING_SAID };
    this.#here.set(id, entry);
    try {
      await live.started;
    } catch (error) {
      this.#here.delete(id);
      if (path !== undefined) await this.#folder?.delete({ id, path });
      throw error;
    }
    const settled = live.ended.then(() => this.#settle(entry, path));
    this.#settling.add(settled);
    void settled.finally(() => this.#settling.delete(settled));
    return live;
  }

  /** Adds a foreign trace to the history, under an id of its own; throws 413 or 422. */
  async import(chunks: AsyncIterable<Uint8Array>): Promise<ImportAnswer> {
    if (this.#folder === undefined) {
      throw new ProblemError('unavailable', { detail: 'This playground keeps no history.' });
    }
    const runId = randomBytes(6).toString('hex');
    const path = this.#folder.pathFor(runId, new Date());
    const lines = new GrowingLines(path);
    try {
      const { problems } = await importTrace(chunks, runId, (line) =>
        lines.append(this.#secrets.clean(line)),
      );
      if (lines.failure !== undefined) throw new ProblemError('unavailable', { detail: lines.failure });
      return { runId, problems };
    } catch (error) {
      await this.#folder.delete({ id: runId, path });
      throw error;
    } finally {
      lines.close();
    }
  }

  /** Throws 404 or 410. */
  async find(id: string): Promise<KnownRun> {
    const here = this.#here.get(id);
    if (here !== undefined) return this.#known(here);
    const file = await this.#folder?.find(id);
    if (file !== undefined) return this.#stored(file);
    if (this.#deleted.has(id)) throw new ProblemError('pruned');
    throw new ProblemError('not_found', {
      detail: RUN_ID.test(id) ? `There is no run ${id}.` : 'That is no id of a run.',
    });
  }

  /** One whose steps can be read: throws 422 for a trace of a newer version, too. */
  async findReadable(id: string): Promise<KnownRun> {
    const run = await this.find(id);
    if (run.status !== 'newer') return run;
    throw new ProblemError('invalid_trace', {
      detail: run.detail ?? '',
      hint: 'Its lines can be looked at as they are. Update glassloop to read it.',
    });
  }

  /** Of all runs, newest first. */
  async summaries(): Promise<RunSummary[]> {
    const summaries = [...this.#here.values()].map((entry) => this.#known(entry).summary);
    // A run that ends meanwhile moves from here to the folder; it is still one run.
    const here = new Set(summaries.map(({ id }) => id));
    for (const file of (await this.#folder?.list()) ?? []) {
      if (here.has(file.id) || this.#here.has(file.id)) continue;
      const summary = await this.#summaryOf(file);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries.sort((a, b) => b.startedAt.localeCompare(a.startedAt) || b.id.localeCompare(a.id));
  }

  /** Of the newest runs whose summary is at hand: no trace is read for it, and no more than 200 files are looked at. */
  async newestSummaries(): Promise<RunSummary[]> {
    const summaries = [...this.#here.values()].map((entry) => this.#known(entry).summary);
    const here = new Set(summaries.map(({ id }) => id));
    const files = ((await this.#folder?.list()) ?? []).sort((a, b) => b.changedAt - a.changedAt);
    for (const file of files.slice(0, MOST_NEWEST)) {
      if (here.has(file.id)) continue;
      const { summary } = await this.#folder!.companion(file);
      if (summary !== undefined) summaries.push(summary);
    }
    return summaries;
  }

  /** Idempotent. Throws 404 or 410. */
  async cancel(id: string): Promise<void> {
    const run = await this.find(id);
    run.live?.cancel();
  }

  async patch(id: string, patch: RunPatch): Promise<RunSummary> {
    const { summary } = await this.find(id);
    const title = patch.title === undefined ? summary.title : (patch.title ?? undefined);
    const note = patch.note === undefined ? summary.note : (patch.note ?? undefined);
    const about: About = {
      ...(title === undefined ? {} : { title }),
      ...(note === undefined ? {} : { note }),
      tags: patch.tags ?? summary.tags,
      pinned: patch.pinned ?? summary.pinned,
    };
    const here = this.#here.get(id);
    if (here !== undefined) here.about = about;
    const file = here?.run.kept === false ? undefined : await this.#folder?.find(id);
    if (file !== undefined) {
      await this.#folder!.updateCompanion(file, (before) => ({ ...before, about }));
    }
    return (await this.find(id)).summary;
  }

  /** Throws 409 for one that goes on. */
  async delete(id: string): Promise<void> {
    const run = await this.find(id);
    if (run.live?.status === 'running') {
      throw new ProblemError('run_is_running', { hint: 'Stop it first.' });
    }
    this.#here.delete(id);
    const file = await this.#folder?.find(id);
    if (file !== undefined) await this.#folder!.delete(file);
    this.#forget(id);
  }

  /** Stops all runs and waits until they are recorded and nothing touches the folder any more, 10 s at most. */
  async close(): Promise<void> {
    const running = [...this.#here.values()].map(({ run }) => run).filter((run) => run.status === 'running');
    for (const run of running) run.cancel();
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, 10_000);
    });
    await Promise.race([Promise.all(this.#settling), patience]);
    clearTimeout(timer);
  }

  /** Deletes what retention does not keep. */
  async prune(): Promise<void> {
    if (this.#folder === undefined) return;
    const files: { file: RunFile; pinned: boolean }[] = [];
    for (const file of await this.#folder.list()) {
      if (this.#here.get(file.id)?.run.status === 'running') continue;
      files.push({ file, pinned: (await this.#folder.companion(file)).about.pinned });
    }
    for (const file of surplus(files, this.#retention, Date.now())) {
      await this.#folder.delete(file);
      this.#forget(file.id);
    }
  }

  async #settle(entry: InMemory, path: string | undefined): Promise<void> {
    const { run } = entry;
    if (run.lines.failure !== undefined) this.#log(`Run ${run.id}: ${run.lines.failure}`);
    if (path !== undefined && run.lines.failure === undefined) {
      try {
        const { summary } = this.#known(entry);
        await this.#folder?.updateCompanion({ path }, () => ({
          about: entry.about,
          summary,
          bytes: summary.bytes,
        }));
      } catch (error) {
        this.#log(`Run ${run.id}: its summary could not be written: ${(error as Error).message}`);
      }
      this.#here.delete(run.id);
      await this.prune().catch((error: Error) =>
        this.#log(`Old runs could not be deleted: ${error.message}`),
      );
      return;
    }
    const ended = [...this.#here.values()].filter(
      (other) => other.run.status !== 'running' && !other.about.pinned,
    );
    let bytes = ended.reduce((sum, other) => sum + other.run.lines.bytes, 0);
    while (ended.length > MOST_IN_MEMORY || bytes > MOST_BYTES_IN_MEMORY) {
      const oldest = ended.shift();
      if (oldest === undefined) break;
      bytes -= oldest.run.lines.bytes;
      this.#here.delete(oldest.run.id);
      this.#forget(oldest.run.id);
    }
  }

  #known({ run, about }: InMemory): KnownRun {
    const { id, header, lines, tally, status, detail } = run;
    return {
      id,
      header,
      lines,
      live: run,
      status,
      detail,
      rows: tally.rows,
      problems: [],
      summary: tally.summary({ about, bytes: lines.bytes, kept: run.kept, otherwise: status, detail }),
    };
  }

  async #stored(file: RunFile): Promise<KnownRun> {
    const trace = await this.#read(file);
    if (trace === undefined)
      throw new ProblemError('invalid_trace', { detail: `The file of ${file.id} has no trace header.` });
    const { header, lines, tally, problems, isNewer } = trace;
    const { about } = await this.#folder!.companion(file);
    const otherwise = isNewer ? 'newer' : 'interrupted';
    const detail = isNewer
      ? `Written in version ${header.version} of the trace format; this playground reads version ${TRACE_VERSION}.`
      : tally.status === undefined
        ? INTERRUPTED
        : tally.detail;
    return {
      id: file.id,
      header,
      lines,
      status: tally.status ?? otherwise,
      detail,
      rows: tally.rows,
      problems,
      summary: tally.summary({ about, bytes: file.bytes, kept: true, otherwise, detail }),
    };
  }

  async #summaryOf(file: RunFile): Promise<RunSummary | undefined> {
    const folder = this.#folder!;
    const companion = await folder.companion(file);
    if (companion.summary !== undefined && companion.bytes === file.bytes) {
      const { title: _, note: __, ...facts } = companion.summary;
      return { ...facts, ...companion.about, id: file.id };
    }
    try {
      const { summary } = await this.#stored(file);
      // Only to be quicker the next time; a folder that cannot be written to is no reason to show less.
      await folder
        .updateCompanion(file, (before) => ({ ...before, summary, bytes: file.bytes }))
        .catch(() => {});
      return summary;
    } catch {
      return undefined;
    }
  }

  #read(file: RunFile): Promise<StoredTrace | undefined> {
    const version = `${file.bytes} ${file.changedAt}`;
    const before = this.#cache.get(file.path);
    if (before?.version === version) return before.trace;
    const trace = readTrace(file.path, file.id, file.changedAt);
    this.#cache.delete(file.path);
    this.#cache.set(file.path, { version, trace });
    trace.catch(() => this.#cache.delete(file.path));
    if (this.#cache.size > MOST_CACHED) this.#cache.delete(this.#cache.keys().next().value!);
    return trace;
  }

  #forget(id: string): void {
    this.#deleted.add(id);
    if (this.#deleted.size > MOST_KEYS) this.#deleted.delete(this.#deleted.keys().next().value!);
  }
}

const INTERRUPTED = 'The run has no end: the program that ran it stopped, or is still running it.';
