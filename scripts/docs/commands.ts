/** Whether a command of the documents can be typed as it stands there: programs, packages, scripts, files, flags. */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { glassloop, root } from './world.ts';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const lock = readFileSync(join(root, 'pnpm-lock.yaml'), 'utf8');
const ours = new Set(
  [
    ...readdirSync(join(root, 'packages'))
      .filter((name) => name !== 'README.md')
      .map((name) => `packages/${name}`),
    'conformance',
  ].map((folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).name as string),
);

/** Words of a command; quotes are undone, variables before it are left out. */
export function wordsOf(command: string): readonly string[] {
  const words = [...command.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, bare]) => double ?? single ?? bare ?? '',
  );
  const start = words.findIndex((word) => !/^[A-Z][A-Z0-9_]*=/.test(word));
  return words.slice(start);
}

/** Commands that end by themselves, cost nothing and change only their own folder. */
export function isRunnable(command: string): boolean {
  const [program, first, second] = wordsOf(command);
  const name =
    program === 'glassloop' ? first : program === 'npx' && first === 'glassloop' ? second : undefined;
  return name !== undefined && name !== 'playground';
}

/** What is wrong with the command; nothing, if it can be typed. `folder` is where its document lies. */
export async function checkCommand(command: string, folder: string): Promise<readonly string[]> {
  // What a shell does with the output is the shell's.
  const [program = '', ...rest] = wordsOf(command.split(/ (?:\||>|&&) /)[0]!);
  switch (program) {
    case 'glassloop':
      return checkGlassloop(rest);
    case 'npx':
      return checkNpx(rest, folder);
    case 'npm':
      return rest[0] === 'install' || rest[0] === 'i'
        ? checkPackages(rest.slice(1))
        : NPM.has(rest[0]!)
          ? []
          : [`npm ${rest[0]}?`];
    case 'node':
      return checkPaths(rest.filter((word) => !word.startsWith('-')).slice(0, 1), folder);
    case 'cd':
      return [];
    default:
      return [`"${program}" is no command these tests know: mark its box with <!-- not checked: reason -->`];
  }
}

const NPM = new Set(['init', 'pkg', 'test', 'run']);

async function checkGlassloop(words: readonly string[]): Promise<readonly string[]> {
  const name = words[0]!.startsWith('-') ? [] : [words[0]!];
  const subcommand = name.length > 0 && name[0] === 'skills' && words[1] !== undefined ? [words[1]] : [];
  const { exitCode, output } = await glassloop([...name, ...subcommand, '--help'], root);
  if (exitCode !== 0) return [`there is no glassloop ${words[0]}`];
  const known = new Set(output.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g));
  return words
    .filter((word) => /^--?[a-zA-Z]/.test(word))
    .map((word) => word.split('=')[0]!)
    .filter((flag) => !known.has(flag))
    .map((flag) => `glassloop ${words[0]} has no ${flag}`);
}

async function checkNpx(words: readonly string[], folder: string): Promise<readonly string[]> {
  const [tool = '', ...rest] = words.filter((word) => word !== '-y');
  if (tool === 'glassloop') return checkGlassloop(rest);
  if (tool === 'vitest')
    return checkPaths(
      rest.slice(1).filter((word, at, all) => !word.startsWith('-') && all[at - 1] !== '-t'),
      folder,
    );
  if (tool === 'glassloop-conformance' || tool === 'changeset' || tool === 'knip') return [];
  if (!tool.startsWith('pnpm@')) return [`npx ${tool} is no command these tests know`];
  if (tool !== manifest.packageManager)
    return [`${tool} is not the package manager, ${manifest.packageManager} is`];
  const script = rest[0] ?? '';
  return script in manifest.scripts || script === 'install' ? [] : [`package.json has no script "${script}"`];
}

function checkPackages(words: readonly string[]): readonly string[] {
  return words
    .filter((word) => !word.startsWith('-'))
    .map((word) => word.replace(/(?<=.)@[^@/]*$/, ''))
    .filter((name) => !ours.has(name) && !lock.includes(`'${name}@`) && !lock.includes(`  ${name}@`))
    .map((name) => `${name} is neither a package of this repository nor one it uses`);
}

/** Paths count from the repository, or from the folder of the document. */
function checkPaths(paths: readonly string[], folder: string): readonly string[] {
  return paths
    .filter((path) => !existsSync(join(root, path)) && !existsSync(join(root, folder, path)))
    .map((path) => `there is no ${path}`);
}
