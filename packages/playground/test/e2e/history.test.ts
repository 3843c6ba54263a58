import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { axe, openForm, overflows, runToEnd } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  page = (await openForm(browser.context, stage)).page;
  for (const prompt of ['plain: one', 'tools: two', 'error: three']) await runToEnd(page, prompt);
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const names = () => page.locator('.run > a').allTextContents();
const show = async (query = '') => {
  await page.goto(`${stage.playground.origin}/#/history${query}`);
  await page.locator('.history-filters').waitFor();
};
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.className);

it('is filtered by words, status, model, tool and day; the address has it all', async () => {
  await show();
  await expect.poll(names).toEqual(['error: three', 'tools: two', 'plain: one']);
  const totals = await page.locator('.page-head [role="status"]').textContent();
  expect(totals).toMatch(/^3 runs, [\d.]+ kB on disk\. Kept: 1,000 runs, 90 days, 2\.1 GB at most/);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('Failed');
  await expect.poll(names).toEqual(['error: three']);
  expect(page.url()).toMatch(/#\/history\?status=failed$/);
  expect(await page.locator('.page-head [role="status"]').textContent()).toMatch(/^1 matches\. 3 runs/);
  await page.getByRole('combobox', { name: 'Status' }).selectOption('any');
  await page.getByRole('combobox', { name: 'Tool' }).selectOption('slow');
  await expect.poll(names).toEqual(['tools: two']);
  await page.getByRole('combobox', { name: 'Model' }).selectOption('stage-1');
  await page.getByLabel('Find').fill('nothing like it');
  await expect.poll(() => page.locator('.empty').textContent()).toContain('No run matches.');
  await page.getByLabel('Find').fill('two');
  await expect.poll(names).toEqual(['tools: two']);
  expect(page.url()).toMatch(/#\/history\?tool=slow&model=stage-1&q=two$/);
  await page.reload();
  await expect.poll(names).toEqual(['tools: two']);
  expect(await page.getByLabel('Find').inputValue()).toBe('two');
  expect(await page.getByRole('combobox', { name: 'Tool' }).inputValue()).toBe('slow');
  // Back from a run the list is as it was.
  await page.locator('.run > a').click();
  await page.locator('.strip').waitFor();
  await page.goBack();
  await expect.poll(names).toEqual(['tools: two']);
  await page.getByRole('button', { name: 'Clear filter' }).click();
  await expect.poll(names).toHaveLength(3);
  expect(page.url()).toMatch(/#\/history$/);
  const today = new Date().toISOString().slice(0, 10);
  await page.getByRole('textbox', { name: 'From', exact: true }).fill(today);
  await page.getByRole('textbox', { name: 'To', exact: true }).fill(today);
  await expect.poll(names).toHaveLength(3);
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('2020-01-01');
  await page.getByRole('textbox', { name: 'To', exact: true }).fill('2020-01-02');
  await expect.poll(names).toEqual([]);
  await page.getByRole('textbox', { name: 'From', exact: true }).fill('2021-01-01');
  await expect.poll(() => page.locator('[role="alert"]').textContent()).toMatch(/./);
  expect(await axe(page)).toEqual([]);
  await show('?status=odd&tool=gone');
  await expect.poll(() => page.locator('[role="alert"]').textContent()).toMatch(/./);
  expect(await page.getByRole('combobox', { name: 'Tool' }).inputValue()).toBe('gone');
});

it('title, note and tags are written, kept and found, by keyboard alone', async () => {
  await show();
  await expect.poll(names).toHaveLength(3);
  const edit = page.getByRole('button', { name: 'Title, note and tags of: plain: one' });
  await edit.focus();
  await press('Enter');
  await page.getByLabel('Title', { exact: true }).waitFor();
  expect(await axe(page), 'about').toEqual([]);
  await press('Tab');
  await page.getByLabel('Title', { exact: true }).focus();
  await page.keyboard.type('The good one');
  await press('Tab');
  await page.keyboard.type('Look at the second answer.');
  await press('Tab');
  await page.keyboard.type('keep, keep,for Mira');
  await press('Enter');
  await expect.poll(names).toEqual(['error: three', 'tools: two', 'The good one']);
  await expect.poll(() => page.locator('dialog').count()).toBe(0);
  // The focus is where it was.
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe(
    'Title, note and tags of: The good one',
  );
  const row = page.locator('.run').nth(2);
  expect(await row.locator('.tag').allTextContents()).toEqual(['keep', 'for Mira']);
  expect(await row.locator('.run-note').textContent()).toContain('second answer');
  await page.getByLabel('Find').fill('mira');
  await expect.poll(names).toEqual(['The good one']);
  await show();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await axe(page), 'narrow').toEqual([]);
  expect(await overflows(page)).toBe(false);
  await page.setViewportSize({ width: 1440, height: 900 });
  // What is emptied is gone, and the prompt names the run again.
  await page.getByRole('button', { name: 'Title, note and tags of: The good one' }).click();
  await page.getByLabel('Title', { exact: true }).fill(' ');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(names).toContain('plain: one');
});

it('what the server refuses is said in the dialog, and nothing is lost', async () => {
  await show();
  await page.getByRole('button', { name: 'Title, note and tags of: plain: one' }).click();
  await page.getByLabel(/^Tags/).fill('x'.repeat(101));
  await page.getByRole('button', { name: 'Save' }).click();
  await expect.poll(() => page.locator('dialog [role="alert"]').textContent()).toMatch(/./);
  expect(await page.getByLabel(/^Tags/).inputValue()).toHaveLength(101);
  await press('Escape');
  await expect.poll(() => page.locator('dialog').count()).toBe(0);
});

it('deleting asks, names what goes, and can be left', async () => {
  await show();
  await page.getByRole('checkbox', { name: 'Choose: error: three' }).check();
  expect(await page.getByRole('button', { name: 'Export' }).count()).toBe(1);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  expect(await page.locator('dialog').textContent()).toMatch(
    /Delete 1 run\?.*cannot be undone.*error: three/,
  );
  expect(await axe(page), 'delete').toEqual([]);
  await press('Escape');
  await expect.poll(names).toHaveLength(3);
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(names).toEqual(['tools: two', 'plain: one']);
  expect(await focused()).toBe('history-search');
});

it('a run that goes on is not deleted, and that is said', async () => {
  await page.goto(`${stage.playground.origin}/#/run`);
  await page.locator('#field-prompt').fill('slow: go on');
  await press('Control+Enter');
  await page.locator('.streaming').first().waitFor();
  await show();
  await page.getByRole('checkbox', { name: 'Choose: slow: go on' }).check();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.locator('dialog').getByRole('button', { name: 'Delete', exact: true }).click();
  await expect.poll(() => page.locator('[role="alert"]').textContent()).toMatch(/./);
  await expect.poll(names).toContain('slow: go on');
  // It stays in sight when the list is loaded again.
  await page.waitForTimeout(300);
  expect(await page.locator('[role="alert"]').count()).toBe(1);
});

it('a run of a newer version is listed and shown line by line', async () => {
  mkdirSync(join(stage.folder, '2026-01-01'));
  const lines = [
    '{"type":"run","format":"glassloop-trace","version":3}',
    '{"type":"thought","of":"owls"}',
    'odd',
  ];
  writeFileSync(join(stage.folder, '2026-01-01', 'future.ndjson'), `${lines.join('\n')}\n`);
  await show('?status=newer');
  await expect.poll(names).toEqual(['future']);
  await page.locator('.run > a').click();
  await expect.poll(() => page.locator('.banners').textContent()).toMatch(/version 3 .* version 1\./);
  await expect.poll(() => page.locator('#tree [role="treeitem"]').count()).toBe(3);
  await page.getByRole('treeitem', { name: /^Line 2/ }).click();
  await expect.poll(() => page.locator('.pane').textContent()).toContain('owls');
  expect(await page.getByRole('button', { name: /Run again|Export|Dry run/ }).count()).toBe(0);
  expect(await axe(page)).toEqual([]);
});
