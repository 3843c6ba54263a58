import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Adapter, AssembledStep, ModelRequest } from '@glassloop/core';
import { type RunStep, RunTrace, runLoop } from '@glassloop/core';
import { afterEach } from 'vitest';
import {
  acceptSkills,
  loadProject,
  type Project,
  ProjectError,
  type ProjectProblem,
  type RunRequest,
  resolveRun,
  skillChanges,
} from '../src/index.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** A new folder with these files; a value that is no text or bytes is written as JSON. */
export async function folderWith(files: { readonly [path: string]: unknown }): Promise<string> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'glassloop-project-')));
  folders.push(root);
  await put(root, files);
  return root;
}

export async function put(root: string, files: { readonly [path: string]: unknown }): Promise<void> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    const isBytes = typeof content === 'string' || content instanceof Uint8Array;
    await writeFile(join(root, path), isBytes ? content : JSON.stringify(content, null, 2));
  }
}

/** A JSON configuration with one provider and one configuration, `ops`, that says this. */
export function config(ops: object = {}, rest: object = {}): object {
  return {
    providers: { demo: { adapter: 'demo', model: 'demo-model' } },
    configurations: { ops: { provider: 'demo', ...ops } },
    ...rest,
  };
}

export const skill = (name: string, body = `Do what ${name} says.`, more = ''): string =>
  `---\nname: ${name}\ndescription: About ${name}.\n${more}---\n\n${body}\n`;

export const snippet = (text: string, more = ''): string => `---\n${more}---\n${text}\n`;

export const tool = (name: string, result = `${name} was here`): string =>
  `import { defineTool } from '@glassloop/core';
export default defineTool({ name: '${name}', description: 'Tool ${name}', execute: (): string => '${result}' });
`;

/** The project in a folder with these files, all its skills accepted. */
export async function acceptedProject(files: { readonly [path: string]: unknown }): Promise<Project> {
  const root = await folderWith(files);
  const project = await loadProject({ cwd: root });
  await acceptSkills(project, await skillChanges(project));
  return project;
}

/** Everything that `loadProject` has against a folder with these files. */
export async function problemsOf(files: {
  readonly [path: string]: unknown;
}): Promise<readonly ProjectProblem[]> {
  return rejectedWith(loadProject({ cwd: await folderWith(files) }));
}

export async function rejectedWith(promise: Promise<unknown>): Promise<readonly ProjectProblem[]> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ProjectError) return error.problems;
    throw error;
  }
  throw new Error('It was expected to reject.');
}

/** Runs a request to its end against a model that only says "ok"; what was assembled, and what the model was sent. */
export async function runOnce(
  project: Project,
  request: RunRequest = {},
): Promise<{
  readonly assembled: AssembledStep;
  readonly sent: ModelRequest;
  readonly steps: readonly RunStep[];
}> {
  const { run } = await resolveRun(project, request);
  let sent: ModelRequest | undefined;
  const adapter: Adapter = {
    name: 'silent',
    model: 'silent',
    capabilities: {
      streaming: false,
      parallelToolCalls: false,
      requiredToolChoice: true,
      thinking: false,
      images: false,
      cost: false,
    },
    async chat(given) {
      sent = given;
      return {
        message: { role: 'assistant', content: 'ok', toolCalls: [] },
        finishReason: 'stop',
        usage: { promptTokens: 1e6, completionTokens: 0 },
      };
    },
  };
  const trace = new RunTrace();
  await runLoop({ ...run, adapter, messages: [{ role: 'user', content: 'Hello' }] }, trace);
  return {
    assembled: trace.steps.find((step) => step.kind === 'assembled')!,
    sent: sent!,
    steps: trace.steps,
  };
}
