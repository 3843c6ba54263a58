import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { lstat, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { RunSummary } from '../protocol.ts';
import { type About, NOTHING_SAID } from '../runs/summary.ts';

/** What a run may be called: no path can be made of it. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,79}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;

export interface RunFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly changedAt: number;
}

/** What stands beside a trace: what people wrote about it, and a summary that can be made again. */
export interface Companion {
  readonly about: About;
  /** Holds while the trace has `bytes` bytes. */
  readonly summary?: RunSummary;
  readonly bytes?: number;
}

/** The folder of kept runs: `YYYY-MM-DD/ID.ndjson`, readable by its owner alone. The files are the truth. */
export class RunFolder {
  readonly root: string;
  readonly #paths = new Map<string, string>();
  #updates: Promise<void> = Promise.resolve();

  /** Creates the folder, mode 0700. */
  constructor(root: string) {
    this.root = root;
    mkdirSync(root, { recursive: true, mode: 0o700 });
    chmodSync(root, 0o700);
    // Traces hold what prompts, tools and models said; they must not slip into a repository.
    writeFileSync(join(root, '.gitignore'), '*\n', { mode: 0o600 });
  }

  /** Where a new run is to be written. */
  pathFor(id: string, startedAt: Date): string {
    const day = join(this.root, startedAt.toISOString().slice(0, 10));
    mkdirSync(day, { recursive: true, mode: 0o700 });
    const path = join(day, `${id}.ndjson`);
    this.#paths.set(id, path);
    return path;
  }

  /** All files, in no order. What is no regular file within the folder is not there. */
  async list(): Promise<RunFile[]> {
    const files = new Map<string, RunFile>();
    for (const day of await readdir(this.root, { withFileTypes: true })) {
      if (!day.isDirectory() || !DAY.test(day.name)) continue;
      const folder = join(this.root, day.name);
      for (const name of await readdir(folder)) {
        const id = name.replace(/\.ndjson$/, '');
        if (id === name || !RUN_ID.test(id)) continue;
        const file = await this.#fileAt(id, join(folder, name));
        if (file === undefined || files.has(id)) continue;
        files.set(id, file);
        this.#paths.set(id, file.path);
      }
    }
    return [...files.values()];
  }

  async find(id: string): Promise<RunFile | undefined> {
    if (!RUN_ID.test(id)) return undefined;
    const path = this.#paths.get(id);
    const file = path === undefined ? undefined : await this.#fileAt(id, path);
    return file ?? (await this.list()).find((other) => other.id === id);
  }

  async companion({ path }: { readonly path: string }): Promise<Companion> {
    try {
      const value = JSON.parse(await readFile(companionPath(path), 'utf8')) as Partial<Companion>;
      return { ...value, about: { ...NOTHING_SAID, ...value.about } };
    } catch {
      return { about: NOTHING_SAID };
    }
  }

  /** One change after another, so that none undoes the one before. */
  updateCompanion(
    { path }: { readonly path: string },
    change: (before: Companion) => Companion,
  ): Promise<void> {
    const update = async () => {
      const target = companionPath(path);
      const companion = change(await this.companion({ path }));
      const draft = `${target}.${process.pid}.tmp`;
      await writeFile(draft, `${JSON.stringify(companion)}\n`, { mode: 0o600 });
      await rename(draft, target);
    };
    const done = this.#updates.then(update);
    this.#updates = done.catch(() => {});
    return done;
  }

  async delete({ id, path }: { readonly id: string; readonly path: string }): Promise<void> {
    this.#paths.delete(id);
    await rm(path, { force: true });
    await rm(companionPath(path), { force: true });
  }

  async #fileAt(id: string, path: string): Promise<RunFile | undefined> {
    try {
      const facts = await lstat(path);
      if (!facts.isFile()) return undefined;
      const real = await realpath(path);
      if (!real.startsWith((await realpath(this.root)) + sep)) return undefined;
      return { id, path, bytes: facts.size, changedAt: facts.mtimeMs };
    } catch {
      return undefined;
    }
  }
}

function companionPath(path: string): string {
  return path.replace(/\.ndjson$/, '.json');
}
