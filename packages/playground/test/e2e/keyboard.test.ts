import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { openForm } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  await browser.context.grantPermissions(['clipboard-read', 'clipboard-write'], {
    origin: stage.playground.origin,
  });
  page = (await openForm(browser.context, stage)).page;
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const selected = () => page.locator('#tree [aria-selected="true"]').textContent();
const press = async (...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());

async function expectSelected(text: string | RegExp) {
  await expect.poll(selected).toMatch(text);
}

it('a run is written, started, read and stopped without a pointer', async () => {
  // The form: the prompt has the focus.
  await page.keyboard.type('failing: what is an owl?');
  await press('Control+Enter');
  await page.locator('.strip .pill.ok').waitFor();
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tree');
  await expectSelected(/^Final answer/);

  // Steps and rounds.
  await press('Home');
  await expectSelected(/^Assemble prompt/);
  await press('j');
  await expectSelected(/^Round 1/);
  await press('ArrowDown');
  await expectSelected(/^Request, round 1/);
  await press('k', 'k');
  await expectSelected(/^Assemble/);
  await press('l', 'l');
  await expectSelected(/^Round 2/);
  await press('h');
  await expectSelected(/^Round 1/);
  await press('ArrowLeft');
  await expect.poll(() => page.locator('#tree [aria-expanded="false"]').count()).toBe(1);
  await press('ArrowRight');
  await expect.poll(() => page.locator('#tree [aria-expanded="false"]').count()).toBe(0);
  await press('End');
  await expectSelected(/^End/);

  // Errors.
  await press('Home', 'e');
  await expectSelected(/^Tool (broken|look_up), failed/);
  const first = await selected();
  await press('e');
  await expect.poll(selected).not.toBe(first);
  await press('E');
  await expect.poll(selected).toBe(first);

  // Tabs, and into the detail and back.
  await press('2');
  await expect.poll(() => page.locator('[role="tab"][aria-selected="true"]').textContent()).toBe('Arguments');
  await press('e');
  expect(await page.locator('[role="tab"][aria-selected="true"]').textContent()).toBe('Arguments');
  await press('1', 'Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tab-panel');
  await press('Escape');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tree');

  // Go to a step by its number.
  await press('g', '2', 'Enter');
  await expectSelected(/^Request, round 1/);

  // Copy.
  await press('c');
  await expect.poll(async () => JSON.parse((await clipboard()) || '{}').kind).toBe('request');
  await press('y');
  await expect.poll(clipboard).toContain('step=2');

  // Splitter and zoom.
  const width = () => page.locator('.steps').evaluate((element) => element.clientWidth);
  const before = await width();
  await press('[');
  await expect.poll(width).toBeLessThan(before);
  await press(']');
  await expect.poll(width).toBe(before);
  const ticks = () => page.locator('.axis').textContent();
  const whole = await ticks();
  await press('+', '+');
  await expect.poll(ticks).not.toBe(whole);
  await press('0');
  await expect.poll(ticks).toBe(whole);

  // Filter.
  await press('/');
  await page.keyboard.type('tool:broken');
  await expect.poll(() => page.locator('#tree [role="treeitem"]').count()).toBe(3);
  await press('Escape');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('tree');
  await press('/', 'Control+a', 'Delete', 'Escape');

  // Find in all bodies.
  await press('Control+f');
  await page.keyboard.type('dictionary is closed');
  await expect.poll(() => page.locator('.find-count').textContent()).toMatch(/in \d step/);
  await press('Enter');
  await expectSelected(/^Tool broken/);
  await press('F3', 'Escape');
  await expect.poll(() => page.locator('.find-bar').count()).toBe(0);

  // The list of keys, and letters turned off.
  await press('?');
  await page.locator('dialog[open]').waitFor();
  await page.locator('dialog input[type="checkbox"]').focus();
  await press('Space', 'Escape');
  await page.locator('#tree').focus();
  const here = await selected();
  await press('j');
  expect(await selected()).toBe(here);
  await press('ArrowDown');
  await expect.poll(selected).not.toBe(here);
  await page.evaluate(() => localStorage.setItem('glassloop.keys', 'on'));
});

it('a link has the step, its tab, the filter and the collapsed rounds', async () => {
  await page.reload();
  await page.locator('#tree').waitFor();
  await page.locator('#tree').focus();
  await press('Home', 'l');
  await expectSelected(/^Round 1/);
  await press('ArrowLeft');
  await expect.poll(() => page.url()).toMatch(/closed=1/);
  await press('l', 'j');
  await page.locator('.detail [role="tab"]').nth(2).waitFor();
  await press('3');
  await expect.poll(() => page.url()).toMatch(/step=\d+&tab=/);
  await page.locator('#filter').fill('round:1..2');
  await expect.poll(() => page.url()).toMatch(/q=round/);
  const asked = () => [...new URLSearchParams(page.url().split('?')[1])].sort();
  const [address, here] = [asked(), await selected()];
  expect(address.map(([name]) => name)).toEqual(['closed', 'q', 'step', 'tab']);
  await page.reload();
  await page.locator('#tree').waitFor();
  await expect.poll(selected).toBe(here);
  expect(await page.locator('#tree [aria-expanded="false"]').count()).toBe(1);
  expect(await page.locator('#filter').inputValue()).toBe('round:1..2');
  await expect.poll(asked).toEqual(address);
  await page.locator('#tree').focus();
  await press('h', 'h');
  await expectSelected(/^Round 1/);
  await press('ArrowRight', '/', 'Control+a', 'Delete', 'Escape');
  await expect.poll(() => page.url()).not.toMatch(/closed|q=/);
});

it('the tabs are a tab list, the tree has one tab stop, focus is seen', async () => {
  await page.reload();
  await page.locator('#tree').waitFor();
  await page.locator('#tree').focus();
  await press('g', '3', 'Enter');
  await expectSelected(/^Response/);
  await page.locator('[role="tab"][aria-selected="true"]').focus();
  await press('ArrowRight');
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Messages sent/);
  expect(await page.locator('[role="tab"][aria-selected="true"]').textContent()).toMatch(/^Structured/);
  await press('Enter');
  const selected = () => page.locator('[role="tab"][aria-selected="true"]').textContent();
  await expect.poll(selected).toMatch(/^Messages sent/);
  expect(await page.locator('#tree [tabindex="0"]').count()).toBe(0);
  await page.locator('#tree').focus();
  await press('j');
  const outline = () => page.locator('#tree').evaluate((element) => getComputedStyle(element).outlineStyle);
  await expect.poll(outline).toBe('solid');
});

it('a dry run from the form; stop asks once', async () => {
  await page.goto(`${stage.playground.origin}/#/run`);
  await page.locator('#field-prompt').waitFor();
  await page.locator('#field-prompt').fill('slow: go on');
  await press('Control+Shift+Enter');
  await page.locator('.strip .pill.info:not(.running)').waitFor();
  expect(await page.locator('.strip .pill').textContent()).toBe('Assembled, not sent');
  await page.goto(`${stage.playground.origin}/#/run`);
  await page.locator('#field-prompt').waitFor();
  await press('Control+Enter');
  await page.locator('.streaming').first().waitFor();
  await press('.');
  expect(await page.locator('.strip .pill').textContent()).toBe('Running');
  await press('.');
  await page.locator('.strip .pill.quiet').waitFor();
  expect(await page.locator('.strip .pill').textContent()).toBe('Stopped in round 1');
});
