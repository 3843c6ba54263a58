import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { chooseTab, openForm, runToEnd, type WatchedPage } from './pages.ts';
import { HOSTILE } from './scenes.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let watched: WatchedPage;
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  watched = await openForm(browser.context, stage);
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

/** Elements that must never come from a trace. */
const FORBIDDEN =
  'iframe, object, embed, meta[http-equiv="refresh"], base, [onerror], [onload], [onmouseover], [style*="display:none"], #root form[action], #root img, a[href^="javascript"], a[href^="data"], a[href^="vbscript"], body script';

it('C128 what a model or a tool wrote is text in every pane: nothing runs, loads or navigates', async () => {
  const { page, faults } = watched;
  expect(await runToEnd(page, `hostile: ${HOSTILE}`, { raw: true })).toBe('Completed');
  const steps = await page.locator('#tree [role="treeitem"]').count();
  for (let step = 0; step < steps; step++) {
    await page.locator('#tree [role="treeitem"]').nth(step).click();
    const tabs = await page.locator('.detail [role="tab"]').count();
    for (let tab = 0; tab < tabs; tab++) {
      await page.locator('.detail [role="tab"]').nth(tab).click();
      await page.evaluate(() => {
        for (const fold of document.querySelectorAll('details')) fold.open = true;
      });
      expect(await page.locator(FORBIDDEN).count(), `row ${step + 1}, tab ${tab + 1}`).toBe(0);
    }
  }
  await page.waitForTimeout(200);
  expect(faults).toEqual([]);
  expect(
    await page.evaluate(() => ({}) as { polluted?: unknown }).then((value) => value.polluted),
  ).toBeUndefined();
});

it('C128 the characters are shown as they were typed, invisible ones as marks', async () => {
  const { page } = watched;
  await page.getByRole('treeitem', { name: /^Response/ }).click();
  await chooseTab(page, 'Structured');
  await page.locator('.pane .prose:not(.plain)').first().waitFor();
  const rendered = await page.locator('.pane .prose').first().textContent();
  expect(rendered).toContain('<img src=x onerror=alert(1)> & "quoted" <think>x</think>');
  expect(rendered).toContain('</script><script>alert(1)</script>');
  expect(rendered).toContain('![pixel](https://evil.example/pixel.png)');
  const marks = await page.locator('.pane .prose .hidden-mark').allTextContents();
  expect(marks).toEqual(expect.arrayContaining(['RLO', 'PDF', 'ZWSP', 'TAG A', 'ESC', 'BEL']));
  expect(await page.locator('.detail-title').textContent()).toMatch(/\d+ invisible characters/);
  await page.locator('#filter').fill('kind:hidden');
  expect(await page.locator('#tree [role="treeitem"]').count()).toBeGreaterThan(2);
  await page.locator('#filter').fill('');
});

it('a link shows where it leads before anything opens', async () => {
  const { page } = watched;
  await page.getByRole('treeitem', { name: /^Response/ }).click();
  await chooseTab(page, 'Structured');
  const link = page.locator('.pane .prose a', { hasText: 'good' }).first();
  expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
  await link.click();
  await page.locator('dialog[open]').waitFor();
  expect(await page.locator('dialog .address').textContent()).toBe('https://example.com/path?x=1');
  await page.keyboard.press('Escape');
  expect(browser.context.pages().filter((one) => one.url().includes('example.com'))).toEqual([]);
});
