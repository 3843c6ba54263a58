/**
 * Starts an adapter from templates/adapter: green in the conformance suite, over the chat-completions dialect.
 *
 *   npx pnpm@10.34.9 create-adapter NAME                a package of this repository, packages/NAME
 *   npx pnpm@10.34.9 create-adapter NAME --outside DIR  a folder of its own, for the published packages
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const repository = fileURLToPath(new URL('..', import.meta.url));
const template = join(repository, 'templates/adapter');

/**
 * Writes the files and returns their folder. Throws, before anything is written, for a name that will not do and for
 * a folder that is not empty. `root`: the repository to add a package to. `outside`: the folder to make instead.
 */
export function createAdapter({ name, root = repository, outside }) {
  const camel = checkedIdentifier(name);
  const folder = outside === undefined ? join(root, 'packages', name) : resolve(outside);
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new Error(`${folder} is not empty. Choose another name or folder; nothing was written.`);
  }
  const words = {
    __name__: name,
    __camel__: camel,
    __Pascal__: camel[0].toUpperCase() + camel.slice(1),
    __VARIABLE__: `${name.toUpperCase().replaceAll('-', '_')}_API_KEY`,
  };
  const files = filesUnder(template).map((path) => {
    const text = readFileSync(join(template, path), 'utf8');
    return [path, text.replace(/__(name|camel|Pascal|VARIABLE)__/g, (word) => words[word])];
  });
  const written = outside === undefined ? files : standalone(Object.fromEntries(files), name);
  for (const [path, text] of written) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function checkedIdentifier(name) {
  if (typeof name !== 'string' || !/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    throw new Error(
      `The name must be lower-case letters, digits and single hyphens, such as acme-cloud; got ${name}.`,
    );
  }
  const camel = name.replace(/-(.)/g, (_, letter) => letter.toUpperCase());
  if (!isFreeName(camel)) {
    throw new Error(`"${camel}" is taken, by the language or by the template; choose another name.`);
  }
  return camel;
}

function isFreeName(name) {
  if (['createAdapter', 'describeAdapter', 'openaiChat'].includes(name)) return false;
  try {
    new Function(`'use strict'; async () => { const ${name} = 0; };`);
    return true;
  } catch {
    return false;
  }
}

/** The same files for a folder that knows nothing of this repository. */
function standalone(files, name) {
  const manifest = JSON.parse(files['package.json']);
  const versions = (dependencies) =>
    Object.fromEntries(
      Object.entries(dependencies).map(([one, version]) => [one, publishedVersion(one, version)]),
    );
  delete manifest.exports['.']['@glassloop/source'];
  Object.assign(manifest, {
    name: `glassloop-${name}`,
    scripts: {
      ...manifest.scripts,
      build: 'tsc -p tsconfig.build.json',
      test: 'vitest run',
      prepack: 'tsc -p tsconfig.build.json',
    },
    peerDependencies: versions(manifest.peerDependencies),
    devDependencies: {
      ...versions(manifest.devDependencies),
      typescript: publishedVersion('typescript', 'catalog:'),
    },
  });
  const base = JSON.parse(readFileSync(join(repository, 'tsconfig.base.json'), 'utf8'));
  delete base.compilerOptions.customConditions;
  const build = JSON.parse(readFileSync(join(repository, 'tsconfig.build.json'), 'utf8'));
  delete build.compilerOptions.customConditions;
  const own = JSON.parse(files['tsconfig.build.json']);
  return Object.entries({
    ...files,
    'README.md': files['README.md'].replaceAll(`@glassloop/${name}`, manifest.name),
    'package.json': json(manifest),
    'tsconfig.json': json({ ...base, include: ['src', 'test'] }),
    'tsconfig.build.json': json({
      ...own,
      extends: './tsconfig.json',
      compilerOptions: { ...build.compilerOptions, ...own.compilerOptions },
    }),
    '.gitignore': 'node_modules/\ndist/\n',
  });
}

function publishedVersion(name, version) {
  if (version.startsWith('workspace:')) {
    const folder =
      name === '@glassloop/conformance' ? 'conformance' : name.replace('@glassloop/', 'packages/');
    return `^${JSON.parse(readFileSync(join(repository, folder, 'package.json'), 'utf8')).version}`;
  }
  if (version !== 'catalog:') return version;
  const catalog = readFileSync(join(repository, 'pnpm-workspace.yaml'), 'utf8');
  const found = new RegExp(`^ {2}"?${name}"?: (\\S+)$`, 'm').exec(catalog)?.[1];
  if (found === undefined) throw new Error(`pnpm-workspace.yaml has no catalog entry for ${name}.`);
  return found;
}

function filesUnder(folder, prefix = '') {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (['node_modules', 'dist', '.turbo'].includes(entry.name)) return [];
    return entry.isDirectory() ? filesUnder(folder, path) : [path];
  });
}

function json(value) {
  return `${JSON.stringify(value, null, 2)}\n`;
}

const USAGE = 'Usage: create-adapter NAME [--outside DIR]';

function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { outside: { type: 'string' } },
  });
  if (positionals.length !== 1) throw new Error(USAGE);
  const [name] = positionals;
  const folder = createAdapter({ name, outside: values.outside });
  console.log(`Written: ${folder}\n`);
  if (values.outside !== undefined) console.log(`Next: cd ${folder} && npm install && npm test`);
  else {
    console.log('Next:');
    console.log('  npx pnpm@10.34.9 install');
    console.log(`  npx vitest run packages/${name}`);
    console.log(`Then name it where the adapters are listed: ADAPTERS in scripts/packages.test.ts and`);
    console.log('scripts/adapters-doc.*, packages/cli/src/adapters.ts, the table in README.md.');
  }
  console.log('How to go on: docs/writing-an-adapter.md');
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  }
}
