import { describe, expect, it } from 'vitest';
import { checkProject } from '../src/index.ts';
import { acceptedProject, config, folderWith, put, skill, tool } from './folder.ts';

const _drops = (step: {
  readonly dropped: readonly { readonly id: string; readonly reason: string }[];
}): string[] => step.dropped.map(({ id, reason }) => `${id} ${reason}`);

describe('checkProject', () => {
  it('lists everything that is wrong, by file and line, and never rejects', async () => {
    const root = await folderWith({
      'glassloop.config.json': `{
  "providers": { "opnai": { "model": "m" }, "demo": {} },
  "configurations": {
    "ops": {
      "provider": "opnai",
      "skills": ["fresh", "frsh"],
      "tags": ["tone"],
      "tools": ["a", "calculate", "b"],
      "systemPrompt": { "file": "missing.md" }
    },
    "nomodel": { "provider": "demo", "options": { "toolChoice": { "tool": "q" } } }
  },
  "skillTrust": { "gone": "community" },
  "tools": ["a.ts"]
}`,
      'a.ts': tool('a'),
      'skills/fresh/SKILL.md': skill('fresh'),
      'skills/broken/SKILL.md': '---\nname: broken\ndescription: a: b\n---\n',
      'snippets/s.md': '---\nname: [1]\ntags: 5\n---\ntext',
    });
    const { problems } = await checkProject({
      cwd: root,
      adapters: ['openai', 'demo'],
      builtInTools: ['calculate'],
    });
    expect(problems.map(({ file, line, message }) => `${file}:${line ?? ''} ${message}`)).toEqual([
      'glassloop.config.json:2 There is no adapter "opnai".',
      'glassloop.config.json:6 There is no skill "frsh".',
      'glassloop.config.json:7 No snippet has the tag "tone".',
      'glassloop.config.json:8 There is no tool "b".',
      'glassloop.config.json:11 There is no tool "q".',
      'glassloop.config.json:13 There is no skill "gone".',
      'missing.md: There is no such file.',
      expect.stringContaining('skills/broken/SKILL.md:3 The front matter is not valid YAML'),
      'skills/fresh/SKILL.md: Skill "fresh" was never accepted, so runs leave it out.',
      'snippets/s.md:2 name is no text.',
      'snippets/s.md:3 tags is no list of texts.',
    ]);
    for (const { whatToDo } of problems) expect(whatToDo).not.toBe('');
  });

  it('has nothing to say about a project in order, and reports one that cannot be loaded', async () => {
    const project = await acceptedProject({
      'glassloop.config.json': config({ skills: ['a'] }),
      'skills/a/SKILL.md': skill('a'),
    });
    expect((await checkProject({ cwd: project.root })).problems).toEqual([]);
    expect(
      (await checkProject({ cwd: await folderWith({ 'glassloop.config.json': '{' }) })).problems,
    ).toHaveLength(1);
  });

  it('reports skills that have gone or changed since they were accepted', async () => {
    const project = await acceptedProject({
      'glassloop.config.json': config(),
      'skills/a/SKILL.md': skill('a'),
    });
    await put(project.root, { 'skills/a/SKILL.md': skill('a', 'changed') });
    expect((await checkProject({ cwd: project.root })).problems).toMatchObject([
      { message: expect.stringContaining('not as it was accepted') },
    ]);
    await put(project.root, { 'glassloop.config.json': config({}, { skills: 'elsewhere' }) });
    expect((await checkProject({ cwd: project.root })).problems).toMatchObject([
      { file: 'glassloop.lock.json' },
    ]);
  });
});
