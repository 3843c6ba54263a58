import { join } from 'node:path';
import type { Dropped, Skill } from '@glassloop/core';
import { insideProject, namesIn, readText } from './files.ts';
import { type FrontMatter, frontMatterOf, listOf } from './front-matter.ts';
import type { Project } from './load-project.ts';
import { nearest, type ProjectProblem, problem, UnusableFile } from './problem.ts';
import { LOCK_FILE, lockedSkill, readLock, type SkillLock, sha256, writeLock } from './skill-lock.ts';

/** A skill of the project's folder, as it is now. */
export interface SkillFile {
  /** The name of its folder. */
  readonly id: string;
  /** Relative to the project folder. */
  readonly file: string;
  readonly description?: string;
  /** `new`: never accepted; `changed`: not as it was accepted; `unusable`: see `problems`. */
  readonly state: 'accepted' | 'changed' | 'new' | 'unusable';
  /** What a run is given. Of a changed skill too: core checks it, and leaves it out. */
  readonly skill?: Skill;
  /** Why a run is not given it. */
  readonly dropped?: Dropped;
  readonly problems: readonly ProjectProblem[];
  /** The whole file, where it could be read. */
  readonly text?: string;
}

const SKILL_FILE = 'SKILL.md';
const DEFAULT_FOLDER = 'skills';

export function skillFolder({ config }: Project): string {
  return config.skills ?? DEFAULT_FOLDER;
}

/** All skills of the project, by id. A lock file that cannot be used makes them all new: nothing is trusted by mistake. */
export async function readSkills(project: Project): Promise<{
  readonly skills: readonly SkillFile[];
  readonly lock: SkillLock;
  /** Of the folder and the lock file. */
  readonly problems: readonly ProjectProblem[];
}> {
  const folder = skillFolder(project);
  const problems: ProjectProblem[] = [];
  const tried = async <T>(file: string, otherwise: T, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      problems.push(error.in(file));
      return otherwise;
    }
  };
  const lock = await tried<SkillLock>(LOCK_FILE, new Map(), () => readLock(project));
  const names = await tried<readonly string[]>(folder, [], async () =>
    namesIn(await insideProject(project.root, folder)),
  );
  const skills: SkillFile[] = [];
  for (const id of names) {
    const read = await readSkill(project, id, lock);
    if (read !== undefined) skills.push(read);
  }
  return { skills, lock, problems };
}

/** One skill; undefined for something in the folder that is none. */
async function readSkill(project: Project, id: string, lock: SkillLock): Promise<SkillFile | undefined> {
  const folder = join(skillFolder(project), id);
  const file = `${folder}/${SKILL_FILE}`.replaceAll('\\', '/');
  try {
    const path = await insideProject(project.root, join(folder, SKILL_FILE));
    if (path === undefined) return undefined;
    const text = await readText(path);
    const front = frontMatterOf(text);
    const problems = fieldProblems(front, id, file);
    if (problems.length > 0) return unusable(id, file, problems, text);
    const others = (await namesIn(await insideProject(project.root, folder))).filter(
      (name) => name !== SKILL_FILE,
    );
    const skill = skillFrom(project, id, front, file, others.length > 0);
    const description = String(front.fields['description']);
    const common = { id, file, description, problems: [], text };
    const accepted = lock.get(id);
    if (accepted === undefined) {
      const detail = `Skill "${id}" was never accepted; look at it and run \`glassloop skills accept ${id}\`.`;
      const dropped: Dropped = { kind: 'skill', id, reason: 'untrusted', detail, origin: skill.origin! };
      return { ...common, state: 'new', dropped };
    }
    const isAccepted = sha256(text) === accepted.sha256;
    // Core compares the body with the checksum. Of a changed file, its front matter included, it gets the accepted
    // digest of the whole file, which is that of no body, and so leaves the skill out.
    const checksum = isAccepted ? sha256(front.body) : accepted.sha256;
    return { ...common, state: isAccepted ? 'accepted' : 'changed', skill: { ...skill, checksum } };
  } catch (error) {
    if (error instanceof UnusableFile) return unusable(id, file, [error.in(file)]);
    throw error;
  }
}

function skillFrom(project: Project, id: string, front: FrontMatter, file: string, hasFiles: boolean): Skill {
  const declared = front.fields['allowed-tools'];
  const isDeclared =
    declared !== undefined && declared !== null && !(typeof declared === 'string' && declared.trim() === '');
  const trust = Object.hasOwn(project.config.skillTrust ?? {}, id)
    ? project.config.skillTrust![id]
    : undefined;
  return {
    id,
    name: String(front.fields['name']),
    body: front.body,
    support: hasFiles ? 'partial' : 'full',
    ...(trust === undefined ? {} : { trust }),
    ...(isDeclared ? { allowedTools: listOf(declared, TOOL_SEPARATOR)! } : {}),
    origin: { file, fromLine: front.fromLine, toLine: front.toLine },
  };
}

/** Blanks and commas, but not those inside parentheses: `Bash(git add:*), Read`. */
const TOOL_SEPARATOR = /[\s,]+(?![^()]*\))/;

/** Others may add fields of their own; a misspelt one of ours must not silently mean nothing. */
const FIELDS = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools'];

function fieldProblems({ fields, lineOf }: FrontMatter, id: string, file: string): readonly ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const report = (field: string, message: string, whatToDo: string): void => {
    problems.push(problem(file, lineOf(field) ?? 1, message, whatToDo));
  };
  const { name, description } = fields;
  if (typeof name !== 'string' || name.trim() === '') {
    report(
      'name',
      'The front matter has no name.',
      `Add \`name: ${id}\` between two lines of three dashes at the top.`,
    );
  } else if (name !== id) {
    report('name', 'The name is not that of the folder.', `Write \`name: ${id}\`, or rename the folder.`);
  }
  if (typeof description !== 'string' || description.trim() === '') {
    report(
      'description',
      'The front matter has no description.',
      'Add `description:` and what the skill is for.',
    );
  }
  const tools = fields['allowed-tools'];
  if (tools !== undefined && tools !== null && listOf(tools, TOOL_SEPARATOR) === undefined) {
    report('allowed-tools', 'allowed-tools is no list of names.', 'Write `allowed-tools: [one, two]`.');
  }
  for (const field of Object.keys(fields)) {
    const meant = FIELDS.includes(field) ? undefined : nearest(field, FIELDS);
    if (meant !== undefined) report(field, `"${field}" is an unknown field.`, `Did you mean "${meant}"?`);
  }
  return problems;
}

function unusable(id: string, file: string, problems: readonly ProjectProblem[], text?: string): SkillFile {
  const { line, message, whatToDo } = problems[0]!;
  const origin = { file, ...(line === undefined ? {} : { fromLine: line }) };
  return {
    id,
    file,
    state: 'unusable',
    problems,
    dropped: {
      kind: 'skill',
      id,
      reason: 'unreadable',
      detail: `Skill "${id}": ${message} ${whatToDo}`,
      origin,
    },
    ...(text === undefined ? {} : { text }),
  };
}

/** How a skill differs from what was accepted. */
export interface SkillChange {
  readonly id: string;
  readonly kind: 'new' | 'changed' | 'removed';
  readonly file: string;
  /** '' for a new one. */
  readonly before: string;
  /** '' for one that is gone. */
  readonly after: string;
}

/** What `acceptSkills` would put into the lock file: of one skill, or of all that are usable. */
export async function skillChanges(project: Project, id?: string): Promise<readonly SkillChange[]> {
  const { skills, lock } = await readSkills(project);
  const changes: SkillChange[] = [];
  for (const skill of skills) {
    if (skill.text === undefined || (skill.state !== 'new' && skill.state !== 'changed')) continue;
    const before = lock.get(skill.id)?.text.join('\n') ?? '';
    changes.push({ id: skill.id, kind: skill.state, file: skill.file, before, after: skill.text });
  }
  for (const [gone, { text }] of lock) {
    if (skills.some((skill) => skill.id === gone)) continue;
    changes.push({
      id: gone,
      kind: 'removed',
      file: `${skillFolder(project)}/${gone}/${SKILL_FILE}`,
      before: text.join('\n'),
      after: '',
    });
  }
  return changes.filter((change) => id === undefined || change.id === id);
}

/** Accepts exactly these texts: what was shown, not what the files have become since. */
export async function acceptSkills(project: Project, changes: readonly SkillChange[]): Promise<void> {
  let lock: Map<string, ReturnType<typeof lockedSkill>>;
  try {
    lock = new Map(await readLock(project));
  } catch (error) {
    if (!(error instanceof UnusableFile)) throw error;
    lock = new Map();
  }
  for (const { id, kind, after } of changes) {
    if (kind === 'removed') lock.delete(id);
    else lock.set(id, lockedSkill(after));
  }
  await writeLock(project, lock);
}
