import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { launch } from './chromium.ts';
import { chooseStep, chooseTab, openForm, run, runToEnd } from './pages.ts';
import { ensureBuilt, startStage } from './stage.ts';
import { QUESTION, STORY } from './story.ts';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

/** The main states, wide and narrow, light and dark. Returns the names of the files. */
export async function takePictures(folder: string): Promise<readonly string[]> {
  await ensureBuilt();
  const [stage, browser] = [await startStage(STORY), await launch()];
  const names: string[] = [];
  try {
    const { page } = await openForm(browser.context, stage);
    const take = async (name: string, sizes: readonly (typeof WIDE)[] = [WIDE, NARROW]) => {
      for (const size of sizes) {
        await page.setViewportSize(size);
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
          await page.waitForTimeout(120);
          const file = `playground-${name}-${colorScheme}-${size.width}x${size.height}.png`;
          await page.screenshot({ path: join(folder, file) });
          names.push(file);
        }
      }
      await page.setViewportSize(WIDE);
    };
    await page.locator('#field-prompt').fill(QUESTION);
    await page.locator('.estimate', { hasText: 'Est. first send' }).waitFor();
    await page.waitForTimeout(700);
    await take('form');

    await run(page, QUESTION, { raw: true });
    await page.locator('#tree [aria-level="1"]', { hasText: 'Round 2' }).waitFor();
    await page.locator('.streaming').first().waitFor();
    await take('live', [WIDE]);
    await page.locator('.strip .pill.ok').waitFor({ timeout: 60_000 });

    await secondResponse(page);
    await take('inspector', [WIDE]);
    await page.setViewportSize(NARROW);
    await page.locator('.bottom-bar button').nth(0).click();
    await take('steps', [NARROW]);
    await page.setViewportSize(NARROW);
    await page.locator('.bottom-bar button').nth(1).click();
    await take('detail', [NARROW]);

    await chooseStep(page, /^Final answer/);
    await take('answer', [WIDE]);
    await chooseStep(page, /^Request, round 2/);
    await chooseTab(page, 'Wire');
    await take('wire', [WIDE]);
    await chooseTab(page, 'Structured');
    await chooseStep(page, /^Tool query_metrics/);
    await take('tool', [WIDE]);
    await chooseStep(page, /^Assemble/);
    await take('assembled', [WIDE]);

    await run(page, QUESTION, { raw: true });
    await page.locator('.strip .pill.ok').waitFor({ timeout: 60_000 });

    await page.goto(`${stage.playground.origin}/#/run`);
    await page.locator('#field-prompt').fill('Summarise incident 4411.');
    await page.keyboard.press('Control+Enter');
    await page.locator('.strip .pill.error').waitFor({ timeout: 30_000 });
    await take('failed', [WIDE]);

    await runToEnd(page, QUESTION, { dryRun: true });
    await page.goto(`${stage.playground.origin}/#/history`);
    await page.locator('.run').nth(2).waitFor();
    await take('history');
    const compared = page.locator('.run', { has: page.locator('.pill.ok') }).locator('input');
    await compared.nth(0).check();
    await compared.nth(1).check();
    await page.getByRole('button', { name: 'Compare 2' }).click();
    await page.locator('.compare-body').waitFor();
    await take('compare', [WIDE]);
  } finally {
    await browser.close();
    await stage.close();
  }
  return names;
}

async function secondResponse(page: Page): Promise<void> {
  await page.locator('#tree [role="treeitem"]', { hasText: 'Response, round 2' }).click();
  await page.locator('.pane .prose:not(.plain)').first().waitFor();
}
