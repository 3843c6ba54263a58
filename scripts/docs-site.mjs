/** Builds the documents and the API reference into docs/site/dist. Installs its generators there first, once. */

import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const site = fileURLToPath(new URL('../docs/site', import.meta.url));

function run(command, ...args) {
  const { status } = spawnSync(command, args, {
    cwd: site,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  // What went wrong has been said by the command itself.
  if (status !== 0) process.exit(1);
}

if (!existsSync(join(site, 'node_modules/vitepress'))) run('npm', 'ci', '--no-audit', '--no-fund');
const bin = (name) => join(site, 'node_modules/.bin', name);
run(bin('vitepress'), 'build', '.');
run(bin('typedoc'));
console.log('\nThe site is in docs/site/dist; any web server shows it: npx serve docs/site/dist');
