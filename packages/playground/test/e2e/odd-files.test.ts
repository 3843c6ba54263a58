import { encodeStep } from '@glassloop/core/trace-file';
import { expect, it } from 'vitest';
import { header, madeSteps, madeTrace } from './made.ts';
import { openedFiles } from './opened-files.ts';
import { axeEverywhere } from './pages.ts';

const opened = openedFiles();
const { open, file } = opened;

it('a newer version opens as raw lines, with a notice and nothing to run', async () => {
  const newer = file('newer.ndjson', madeTrace(2).replace('"version":1', '"version":7'));
  await open(newer);
  await expect.poll(() => opened.page.locator('.banners').textContent()).toMatch(/version 7 .* version 1\./);
  expect(await opened.page.locator('.strip .pill').textContent()).toBe('Newer version, not read');
  expect(await opened.page.locator('#tree [role="treeitem"]').count()).toBe(9);
  await opened.page.getByRole('treeitem', { name: /^Line 4/ }).click();
  await expect.poll(() => opened.page.locator('.pane').textContent()).toContain('Round 1');
  expect(await opened.page.locator('.detail h2').textContent()).toBe('Line 4');
  expect(await opened.page.getByRole('button', { name: 'Add to history' }).count()).toBe(0);
  expect(await axeEverywhere(opened.page, 'page')).toEqual([]);
  // There is no error to go to.
  await opened.page.locator('#tree').focus();
  await opened.page.keyboard.press('e');
  expect(await opened.page.locator('.detail h2').textContent()).toBe('Line 4');
  await opened.page.goto(`${opened.stage.playground.origin}/#/open`);
  await opened.page
    .locator('input[type="file"]')
    .first()
    .setInputFiles([newer, file('this.ndjson', madeTrace(1))]);
  await expect.poll(() => opened.page.locator('[role="alert"]').textContent()).toContain('newer version');
});

it('a file without a line is opened and compared as one', async () => {
  await opened.page.goto(`${opened.stage.playground.origin}/#/open`);
  const files = [file('empty.ndjson', ''), file('one.ndjson', madeTrace(1))];
  await opened.page.locator('input[type="file"]').first().setInputFiles(files);
  await opened.page.locator('.compare-body').waitFor();
  expect(await opened.page.locator('.compare-rows .differs').count()).toBeGreaterThan(1);
});

it('a long idle time is offered for collapsing, never collapsed by itself', async () => {
  const steps = [...madeSteps(3)];
  const later = 252_000;
  const text = steps.reduce(
    (so, step, index) => so + encodeStep(index < 5 ? step : { ...step, at: step.at + later }, index + 1),
    header(),
  );
  await open(file('idle.ndjson', text));
  const idle = opened.page.locator('.idle-gaps');
  expect(await idle.textContent()).toMatch(/^4 min 12 s idle\.Collapse$/);
  const widest = () =>
    opened.page
      .locator('#tree .bar')
      .evaluateAll((bars) => Math.max(...bars.map((bar) => bar.getBoundingClientRect().width)));
  const before = await widest();
  expect(before).toBeLessThan(20);
  await opened.page.getByRole('button', { name: 'Collapse' }).focus();
  await opened.page.keyboard.press('Enter');
  await expect.poll(() => idle.textContent()).toMatch(/^4 min 12 s idle, drawn short\.Expand$/);
  expect(await opened.page.locator('.axis .fold-label').textContent()).toBe('4 min 12 s');
  const labels = await opened.page.locator('.axis > span').allTextContents();
  expect(new Set(labels).size).toBe(labels.length);
  expect(labels.at(-2)).toMatch(/^252\.\d+ s$/);
  expect(await opened.page.locator('.grid-lines .folded').count()).toBe(1);
  await expect.poll(widest).toBeGreaterThan(before * 4);
  expect(await axeEverywhere(opened.page, 'page')).toEqual([]);
  // Dragging over the axis filters by the time it stands for.
  const frame = (await opened.page.locator('.axis').boundingBox())!;
  await opened.page.mouse.move(frame.x + frame.width * 0.6, frame.y + 8);
  await opened.page.mouse.down();
  await opened.page.mouse.move(frame.x + frame.width - 1, frame.y + 8);
  await opened.page.mouse.up();
  expect(await opened.page.locator('#filter').inputValue()).toMatch(/^t:252\d{3}ms\.\.252\d{3}ms$/);
  await opened.page.locator('#filter').fill('');
  await opened.page.getByRole('button', { name: 'Expand' }).click();
  await expect.poll(widest).toBeLessThan(20);
  // A run without a long wait offers nothing.
  await open(file('busy.ndjson', madeTrace(3)));
  expect(await idle.count()).toBe(0);
});

it('a file that grows is followed: steps are added, and a button ends it', async () => {
  const lines = madeTrace(3).split('\n').slice(0, -1);
  /** A handle of the browser's own, as the picker of the system would give it. */
  const write = (text: string, from?: number) =>
    opened.page.evaluate(
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
  const steps = () => opened.page.locator('.footer').textContent();
  const banner = () => opened.page.locator('.banners').textContent();
  await opened.page.goto(`${opened.stage.playground.origin}/#/history`);
  await opened.page.reload();
  await write(`${lines.slice(0, 3).join('\n')}\n${lines[3]!.slice(0, 50)}`, 0);
  await opened.page.goto(`${opened.stage.playground.origin}/#/open`);
  await opened.page.getByRole('button', { name: 'Follow a file…' }).focus();
  await opened.page.keyboard.press('Enter');
  await expect.poll(steps).toContain('2 steps');
  expect(await opened.page.locator('.strip .pill').textContent()).toBe('Running');
  expect(await banner()).toMatch(/^The file is followed/);
  expect(await axeEverywhere(opened.page, 'page')).toEqual([]);
  // The rest of a line that was cut by the way it is written.
  await write(`${lines[3]!.slice(50)}\n${lines[4]!}\n`);
  await expect.poll(steps).toContain('4 steps');
  await expect
    .poll(() => opened.page.locator('#tree [aria-selected="true"]').textContent())
    .toMatch(/^Tool look_up/);
  await expect.poll(() => opened.page.locator('.pane').textContent()).toContain('needle1');
  await opened.page.getByRole('button', { name: 'Stop following' }).click();
  expect(await banner()).toMatch(/^No longer followed\./);
  await write(`${lines[5]!}\n`);
  await opened.page.waitForTimeout(1500);
  expect(await steps()).toContain('4 steps');
  await opened.page.getByRole('button', { name: 'Follow again' }).click();
  await expect.poll(steps).toContain('5 steps');
  await write(`${lines.slice(6).join('\n')}\n`);
  await expect.poll(() => opened.page.locator('.strip .pill').textContent()).toBe('Completed');
  // It is over, and so is following it.
  await expect.poll(banner).toBe('');
  // A file that is written anew is another one; it can be followed from here, too.
  await write(lines.slice(0, 4).join('\n'), 0);
  await opened.page.getByRole('button', { name: 'Follow a file…' }).click();
  await expect.poll(steps).toContain('2 steps');
  await write('{}', 0);
  await expect.poll(banner).toContain('became shorter');
  expect(await axeEverywhere(opened.page, 'page')).toEqual([]);
});

it('a browser that cannot follow a file says so', async () => {
  await opened.page.goto(`${opened.stage.playground.origin}/#/history`);
  await opened.page.reload();
  await opened.page.evaluate(() => Object.assign(globalThis, { showOpenFilePicker: undefined }));
  await opened.page.goto(`${opened.stage.playground.origin}/#/open`);
  await opened.page.locator('.open-screen').waitFor();
  expect(await opened.page.locator('.open-screen').textContent()).toContain(
    'cannot follow a file that grows',
  );
});
