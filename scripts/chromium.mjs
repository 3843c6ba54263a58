/**
 * Sees to it that the browser tests have a Chromium, once and before they start side by side. Where none is there and
 * none may be installed, the tests themselves say what to do.
 */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

const found = [process.env.CHROMIUM ?? '', ...PLACES].some((place) => place !== '' && existsSync(place));
if (!found && process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
  console.log('Installing Chromium for the browser tests…');
  try {
    execFileSync('apt-get', ['update', '-qq'], { stdio: ['ignore', 'ignore', 'inherit'] });
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], {
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    });
  } catch (error) {
    console.error(`Chromium could not be installed: ${error.message}`);
  }
}
