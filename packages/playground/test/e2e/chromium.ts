import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
];

/** A Chromium of this machine: the one named by CHROMIUM, or installed, or fetched with apt-get where that is allowed. */
function chromiumPath(): string {
  const found = [process.env['CHROMIUM'] ?? '', ...PLACES].find((place) => place !== '' && existsSync(place));
  if (found !== undefined) return found;
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    execFileSync('apt-get', ['update', '-qq'], { stdio: 'ignore' });
    execFileSync('apt-get', ['install', '-y', '-qq', 'chromium'], { stdio: 'ignore' });
    if (existsSync(PLACES[0]!)) return PLACES[0]!;
  }
  throw new Error(
    'These tests need a Chromium: install one ("sudo apt-get install chromium"), or set CHROMIUM to the path of its program.',
  );
}

export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/** A browser with a profile of its own, which asks nobody for anything. */
export async function launch(
  options: { width?: number; height?: number; colorScheme?: 'light' | 'dark' } = {},
): Promise<Browser> {
  const profile = mkdtempSync(join(tmpdir(), 'glassloop-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: chromiumPath(),
    headless: true,
    viewport: { width: options.width ?? 1440, height: options.height ?? 900 },
    colorScheme: options.colorScheme ?? 'light',
    locale: 'en-GB',
    timezoneId: 'UTC',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  context.setDefaultTimeout(10_000);
  return {
    context,
    async close() {
      await context.close();
      rmSync(profile, { recursive: true, force: true });
    },
  };
}
