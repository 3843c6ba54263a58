/**
 * Collects the changesets into versions and changelogs, as `changeset version` does, but for one rule: below 1.0.0 a
 * breaking change makes the next minor version. Changesets would make 1.0.0 of every package whose peer, core, gets
 * one. `--plan` shows the versions and changes nothing.
 */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cli = createRequire(import.meta.url).resolve('@changesets/cli/package.json');
const changesets = createRequire(cli);
const partOf = (name) => changesets(`@changesets/${name}`).default;

/** The release plan of changesets, without a major version of what is below 1.0.0. */
export async function releasePlan() {
  const plan = await partOf('get-release-plan')(root);
  const semver = changesets('semver');
  // Private packages have no version, and none to get.
  const published = plan.releases.filter(({ type }) => type !== 'none');
  const releases = published.map((release) =>
    release.type === 'major' && semver.major(release.oldVersion) === 0
      ? { ...release, type: 'minor', newVersion: semver.inc(release.oldVersion, 'minor') }
      : release,
  );
  return { ...plan, releases };
}

async function writeVersions(plan) {
  const packages = await changesets('@manypkg/get-packages').getPackages(root);
  const config = await changesets('@changesets/config').read(root, packages);
  await partOf('apply-release-plan')(plan, packages, config, undefined, dirname(cli));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const plan = await releasePlan();
  for (const { name, oldVersion, newVersion } of plan.releases)
    console.log(`${name} ${oldVersion} → ${newVersion}`);
  if (!process.argv.includes('--plan')) await writeVersions(plan);
}
