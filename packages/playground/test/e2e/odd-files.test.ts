import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encodeStep } from '@glassloop/core/trace-file';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { header, madeSteps, madeTrace } from './made.ts';
import { axeEverywhere, openForm } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), 'glassloop-odd-'));
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  page = (await openForm(browser.context, stage)).page;
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function open(...files: string[]): Promise<void> {
  await page.goto(`${stage.playground.origin}/#/open`);
  await page.locator('input[type="file"]').first().setInputFiles(files);
  await page.locator(files.length > 1 ? '.compare-body' : '#tree').waitFor();
}

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

it('a newer version opens as raw lines, with a notice and nothing to run', async () => {
  const newer = file('newer.ndjson', madeTrace(2).replace('"version":1', '"version":7'));
  await open(newer);
  await expect.poll(() => page.locator('.banners').textContent()).toMatch(/version 7 .* version 1\./);
  expect(await page.locator('.strip .pill').textContent()).toBe('Newer version, not read');
  expect(await page.locator('#tree [role="treeitem"]').count()).toBe(9);
  await page.getByRole('treeitem', { name: /^Line 4/ }).click();
  await expect.poll(() => page.locator('.pane').textContent()).toContain('Round 1');
  expect(await page.locator('.detail h2').textContent()).toBe('Line 4');
  expect(await page.getByRole('button', { name: 'Add to history' }).count()).toBe(0);
  expect(await axeEverywhere(page, 'page')).toEqual([]);
  // There is no error to go to.
  await page.locator('#tree').focus();
  await page.keyboard.press('e');
  expect(await page.locator('.detail h2').textContent()).toBe('Line 4');
  await page.goto(`${stage.playground.origin}/#/open`);
  await page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([newer, file('this.ndjson', madeTrace(1))]);
  await expect.poll(() => page.locator('[role="alert"]').textContent()).toContain('newer version');
});

it('a file without a line is opened and compared as one', async () => {
  await page.goto(`${stage.playground.origin}/#/open`);
  const files = [file('empty.ndjson', ''), file('one.ndjson', madeTrace(1))];
  await page.locator('input[type="file"]').first().setInputFiles(files);
  await page.locator('.compare-body').waitFor();
  expect(await page.locator('.compare-rows .differs').count()).toBeGreaterThan(1);
});

it('a long idle time is offered for collapsing, never collapsed by itself', async () => {
  const steps = [...madeSteps(3)];
  const later = 252_000;
  const text = steps.reduce(
    (so, step, index) => so + encodeStep(index < 5 ? step : { ...step, at: step.at + later }, index + 1),
    header(),
  );
  await open(file('idle.ndjson', text));
  const idle = page.locator('.idle-gaps');
  expect(await idle.textContent()).toMatch(/^4 min 12 s idle\.Collapse$/);
  const widest = () =>
    page
      .locator('#tree .bar')
      .evaluateAll((bars) => Math.max(...bars.map((bar) => bar.getBoundingClientRect().width)));
  const before = await widest();
  expect(before).toBeLessThan(20);
  await page.getByRole('button', { name: 'Collapse' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => idle.textContent()).toMatch(/^4 min 12 s idle, drawn short\.Expand$/);
  expect(await page.locator('.axis .fold-label').textContent()).toBe('4 min 12 s');
  const labels = await page.locator('.axis > span').allTextContents();
  expect(new Set(labels).size).toBe(labels.length);
  expect(labels.at(-2)).toMatch(/^252\.\d+ s$/);
  expect(await page.locator('.grid-lines .folded').count()).toBe(1);
  await expect.poll(widest).toBeGreaterThan(before * 4);
  expect(await axeEverywhere(page, 'page')).toEqual([]);
  // Dragging over the axis filters by the time it stands for.
  const frame = (await page.locator('.axis').boundingBox())!;
  await page.mouse.move(frame.x + frame.width * 0.6, frame.y + 8);
  await page.mouse.down();
  await page.mouse.move(frame.x + frame.width - 1, frame.y + 8);
  await page.mouse.up();
  expect(await page.locator('#filter').inputValue()).toMatch(/^t:252\d{3}ms\.\.252\d{3}ms$/);
  await page.locator('#filter').fill('');
  await page.getByRole('button', { name: 'Expand' }).click();
  await expect.poll(widest).toBeLessThan(20);
  // A run without a long wait offers nothing.
  await open(file('busy.ndjson', madeTrace(3)));
  expect(await idle.count()).toBe(0);
});

it('a file that grows is followed: steps are added, and a button ends it', async () => {
  const lines = madeTrace(3).split('\n').slice(0, -1);
  /** A handle of the browser's own, as the picker of the system would give it. */
  const write = (text: string, from?: number) =>
    page.evaluate(
      async ([content, at]) => {
        const root = await navigator.storage.getDirectory();
        const handle = await root.getFileHandle('growing.ndjson', { create: true });
        const size = (await handle.getFile()).size;
        const writable = await handle.createWritable({ keepExistingData: at === undefined });
        await writable.write({ type: 'write', position: at ?? size, data: content as string });
        await writable.close();
        Object.assign(globalThis, { showOpenFilePicker: async () => [handle] });
      },
      [text, from] as const,
    );
  const steps = () => page.locator('.footer').textContent();
  const banner = () => page.locator('.banners').textContent();
  await page.goto(`${stage.playground.origin}/#/history`);
  await page.reload();
  await write(`${lines.slice(0, 3).join('\n')}\n${lines[3]!.slice(0, 50)}`, 0);
  await page.goto(`${stage.playground.origin}/#/open`);
  await page.getByRole('button', { name: 'Follow a file…' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(steps).toContain('2 steps');
  expect(await page.locator('.strip .pill').textContent()).toBe('Running');
  expect(await banner()).toMatch(/^The file is followed/);
  expect(await axeEverywhere(page, 'page')).toEqual([]);
  // The rest of a line that was cut by the way it is written.
  await write(`${lines[3]!.slice(50)}\n${lines[4]!}\n`);
  await expect.poll(steps).toContain('4 steps');
  await expect
    .poll(() => page.locator('#tree [aria-selected="true"]').textContent())
    .toMatch(/^Tool look_up/);
  await expect.poll(() => page.locator('.pane').textContent()).toContain('needle1');
  await page.getByRole('button', { name: 'Stop following' }).click();
  expect(await banner()).toMatch(/^No longer followed\./);
  await write(`${lines[5]!}\n`);
  await page.waitForTimeout(1500);
  expect(await steps()).toContain('4 steps');
  await page.getByRole('button', { name: 'Follow again' }).click();
  await expect.poll(steps).toContain('5 steps');
  await write(`${lines.slice(6).join('\n')}\n`);
  await expect.poll(() => page.locator('.strip .pill').textContent()).toBe('Completed');
  // It is over, and so is following it.
  await expect.poll(banner).toBe('');
  // A file that is written anew is another one; it can be followed from here, too.
  await write(lines.slice(0, 4).join('\n'), 0);
  await page.getByRole('button', { name: 'Follow a file…' }).click();
  await expect.poll(steps).toContain('2 steps');
  await write('{}', 0);
  await expect.poll(banner).toContain('became shorter');
  expect(await axeEverywhere(page, 'page')).toEqual([]);
});

it('a browser that cannot follow a file says so', async () => {
  await page.goto(`${stage.playground.origin}/#/history`);
  await page.reload();
  await page.evaluate(() => Object.assign(globalThis, { showOpenFilePicker: undefined }));
  await page.goto(`${stage.playground.origin}/#/open`);
  await page.locator('.open-screen').waitFor();
  expect(await page.locator('.open-screen').textContent()).toContain('cannot follow a file that grows');
});
