import { createHash } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { insideProject, readText } from './files.ts';
import type { Project } from './load-project.ts';
import { UnusableFile } from './problem.ts';

export const LOCK_FILE = 'glassloop.lock.json';

/** A skill as it was accepted. */
export interface LockedSkill {
  /** SHA-256, as hex, of the whole file: UTF-8, line ends as `\n`. */
  readonly sha256: string;
  /** The file itself, by lines, so that a change can be shown, here and in a review. */
  readonly text: readonly string[];
}

export type SkillLock = ReadonlyMap<string, LockedSkill>;

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

export function lockedSkill(text: string): LockedSkill {
  return { sha256: sha256(text), text: text.split('\n') };
}

/** The skills that were accepted; none without a lock file. Throws UnusableFile for one that cannot be used. */
export async function readLock({ root }: Project): Promise<SkillLock> {
  const path = await insideProject(root, LOCK_FILE);
  if (path === undefined) return new Map();
  const wrong = (message: string): UnusableFile =>
    new UnusableFile(
      message,
      'Take it from version control, or delete it, look at all skills and run `glassloop skills accept`.',
    );
  let content: unknown;
  try {
    content = JSON.parse(await readText(path));
  } catch (error) {
    throw error instanceof UnusableFile ? error : wrong('It is not valid JSON.');
  }
  const { version, skills } = (content ?? {}) as { version?: unknown; skills?: unknown };
  if (version !== 1 || typeof skills !== 'object' || skills === null)
    throw wrong('It is no lock file of version 1.');
  const lock = new Map<string, LockedSkill>();
  for (const [id, entry] of Object.entries(skills)) {
    const { sha256: digest, text } = (entry ?? {}) as Partial<LockedSkill>;
    // The text is what a person was shown; one that does not fit the digest would show a wrong difference.
    if (!Array.isArray(text) || typeof digest !== 'string' || sha256(text.join('\n')) !== digest) {
      throw wrong(`The text of "${id}" in it does not fit its sha256.`);
    }
    lock.set(id, { sha256: digest, text });
  }
  return lock;
}

export async function writeLock({ root }: Project, lock: SkillLock): Promise<void> {
  const skills = Object.fromEntries([...lock].sort(([a], [b]) => (a < b ? -1 : 1)));
  const path = join(root, LOCK_FILE);
  await writeFile(`${path}.new`, `${JSON.stringify({ version: 1, skills }, null, 2)}\n`);
  await rename(`${path}.new`, path);
}
