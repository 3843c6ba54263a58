import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { openForm } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

/** What tests of opened files share: a stage, a browser with one page, and a folder that is removed in the end. */
export function openedFiles() {
  const folder = mkdtempSync(join(tmpdir(), 'glassloop-files-'));
  const shared = {
    folder,
    stage: undefined as unknown as Stage,
    browser: undefined as unknown as Browser,
    page: undefined as unknown as Page,
    /** One file opens, two are compared. */
    async open(...files: string[]): Promise<void> {
      await shared.page.goto(`${shared.stage.playground.origin}/#/open`);
      await shared.page.locator('input[type="file"]').first().setInputFiles(files);
      await shared.page.locator(files.length > 1 ? '.compare-body' : '#tree').waitFor();
    },
    file(name: string, text: string): string {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
  };
  beforeAll(async () => {
    await ensureBuilt();
    shared.stage = await startStage();
    shared.browser = await launch();
    shared.page = (await openForm(shared.browser.context, shared.stage)).page;
  });
  afterAll(async () => {
    await shared.browser?.close();
    await shared.stage?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return shared;
}
