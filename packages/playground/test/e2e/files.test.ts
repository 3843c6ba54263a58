import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RunStep } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportHtml } from '../../src/share/report.ts';
import { type Browser, launch } from './chromium.ts';
import { axe, chooseStep, chooseTab, openForm, openPage, runToEnd } from './pages.ts';
import { HOSTILE, PICTURE } from './scenes.ts';
import { at, ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
const folder = mkdtempSync(join(tmpdir(), 'glassloop-files-'));
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

const START = 1_772_356_442_000;
const header = () =>
  encodeTraceHeader({ id: 'made', startedAt: new Date(START).toISOString(), capturesRaw: true });

function* madeSteps(rounds: number, padding = ''): Generator<RunStep> {
  let now = START;
  const tick = (ms: number) => {
    now += ms;
    return now;
  };
  yield {
    kind: 'assembled',
    round: 0,
    at: now,
    settings: { adapter: 'stage', model: 'stage-1', options: {}, maxRounds: rounds },
    added: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'What is in the picture?' }, PICTURE] },
    ],
    sources: [],
    dropped: [],
    tools: [{ name: 'look_up', description: 'Looks up.', parameters: { type: 'object' } }],
    warnings: [],
  };
  for (let round = 1; round <= rounds; round++) {
    const call = { id: `c${round}`, name: 'look_up', argumentsJson: JSON.stringify({ word: `w${round}` }) };
    const log = 2 + (round - 1) * 2;
    yield {
      kind: 'request',
      round,
      at: tick(2),
      added: [],
      sent: [[0, log]],
      toolsOffered: ['look_up'],
      attempt: 1,
    };
    yield {
      kind: 'response',
      round,
      at: tick(100),
      durationMs: 98,
      message: { role: 'assistant', content: `Round ${round}`, toolCalls: [call] },
      finishReason: 'tool_calls',
      usage: { promptTokens: 100 + round, completionTokens: 5, totalTokens: 105 + round },
    };
    yield {
      kind: 'tool',
      round,
      at: tick(30),
      durationMs: 28,
      call,
      result: `needle${round} ${padding}`,
      isError: round % 97 === 0,
    };
  }
  yield {
    kind: 'end',
    round: rounds,
    at: now + 1,
    durationMs: now - START,
    stopReason: 'completed',
    rounds,
    usage: {},
    unpricedRounds: rounds,
  };
}

function madeTrace(rounds: number): string {
  let [text, seq] = [header(), 0];
  for (const step of madeSteps(rounds)) text += encodeStep(step, ++seq);
  return text;
}

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

it('10,000 steps: few rows exist, scrolling and filtering stay quick', async () => {
  await open(file('many.ndjson', madeTrace(3333)));
  await expect.poll(() => page.locator('.footer').textContent()).toContain('10,001 steps');
  expect(await page.locator('#tree [role="treeitem"]').count()).toBeLessThan(60);
  const frames = await page.evaluate(async () => {
    const tree = document.getElementById('tree')!;
    const times: number[] = [];
    let last = performance.now();
    for (let step = 0; step < 60; step++) {
      tree.scrollTop = (tree.scrollHeight / 60) * step;
      await new Promise(requestAnimationFrame);
      times.push(performance.now() - last);
      last = performance.now();
    }
    return times.sort((a, b) => a - b);
  });
  console.log(`10,000 steps: frame p50 ${frames[30]!.toFixed(1)} ms, p95 ${frames[56]!.toFixed(1)} ms`);
  const filtered = await page.evaluate(async () => {
    const field = document.getElementById('filter') as HTMLInputElement;
    const since = performance.now();
    field.value = 'err';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - since;
  });
  console.log(`10,000 steps: filter ${filtered.toFixed(0)} ms`);
  await expect.poll(() => page.locator('#tree [aria-level="2"]').count()).toBeGreaterThan(10);
  expect(await page.locator('#tree').textContent()).toContain('look_up');
  await page.locator('#filter').fill('');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+f');
  await page.keyboard.type('needle3333');
  await expect.poll(() => page.locator('.find-count').textContent()).toBe('in 1 step');
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.locator('#tree [aria-selected="true"]').textContent())
    .toContain('round 3,333');
  await page.keyboard.press('Escape');
});

it('a picture is shown when asked for', async () => {
  await open(file('picture.ndjson', madeTrace(1)));
  await chooseStep(page, /^Assemble/);
  await chooseTab(page, /^Messages sent/);
  expect(await page.locator('.pane img').count()).toBe(0);
  await page.getByRole('button', { name: 'Show picture' }).click();
  await page.locator('.pane img').waitFor();
  expect(
    await page.locator('.pane img').evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth),
  ).toBe(1);
});

it('a file that ends mid-line, has a bad line or an unknown one opens as far as it goes', async () => {
  const lines = madeTrace(2).trimEnd().split('\n');
  lines.splice(3, 0, 'this is no JSON', '{"type":"thought","seq":99}');
  await open(file('broken.ndjson', `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 40)}`));
  await expect
    .poll(() => page.locator('.banners').textContent())
    .toContain('The file ends in the middle of a step');
  expect(await page.locator('#tree').textContent()).toContain('Unknown event');
  expect(await page.locator('.strip .pill').textContent()).toBe('Interrupted: no end recorded');
  await page.getByRole('treeitem', { name: /^Line 4/ }).click();
  expect(await page.locator('.pane').textContent()).toContain('this is no JSON');
});

it('an unknown ending is said to be unknown', async () => {
  await open(
    file('odd.ndjson', madeTrace(1).replace('"stopReason":"completed"', '"stopReason":"enlightened"')),
  );
  await expect.poll(() => page.locator('.strip .pill').textContent()).toBe('Unknown state: enlightened');
});

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
  expect(await axe(page)).toEqual([]);
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
  expect(await page.locator('.grid-lines .folded').count()).toBe(1);
  await expect.poll(widest).toBeGreaterThan(before * 4);
  expect(await axe(page)).toEqual([]);
  // Dragging over the axis filters by the time it stands for.
  const frame = (await page.locator('.axis').boundingBox())!;
  await page.mouse.move(frame.x + frame.width * 0.6, frame.y + 8);
  await page.mouse.down();
  await page.mouse.move(frame.x + frame.width - 1, frame.y + 8);
  await page.mouse.up();
  expect(await page.locator('#filter').inputValue()).toMatch(/^t:252\d{3}ms\.\.252\d{3}ms$/);
  await page.locator('#filter').fill('');
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await axe(page), 'narrow').toEqual([]);
  await page.setViewportSize({ width: 1440, height: 900 });
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
  expect(await axe(page)).toEqual([]);
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
  expect(await axe(page)).toEqual([]);
});

it('a browser that cannot follow a file says so', async () => {
  await page.goto(`${stage.playground.origin}/#/history`);
  await page.reload();
  await page.evaluate(() => Object.assign(globalThis, { showOpenFilePicker: undefined }));
  await page.goto(`${stage.playground.origin}/#/open`);
  await page.locator('.open-screen').waitFor();
  expect(await page.locator('.open-screen').textContent()).toContain('cannot follow a file that grows');
});

it('two files are compared', async () => {
  const text = madeTrace(2);
  await open(file('a.ndjson', text), file('b.ndjson', text.replace('Round 2', 'Second round')));
  await expect
    .poll(() => page.locator('.compare-bar b').textContent())
    .toMatch(/First difference: Response, round 2, message\.content/);
  expect(await page.locator('.compare-detail').textContent()).toContain('Second round');
  expect(await page.locator('.compare-rows .differs').count()).toBe(1);
  expect(await axe(page)).toEqual([]);
});

it('a 5 MB raw body opens at once and is searched', async () => {
  await runToEnd(page, 'big: go on', { raw: true });
  await chooseStep(page, /^Final answer/);
  const since = Date.now();
  await chooseTab(page, 'Raw JSON');
  await page
    .locator('.pane')
    .getByRole('button', { name: /Show all/ })
    .click();
  await page.locator('.pane .json-row').first().waitFor();
  console.log(`5 MB raw body: ${Date.now() - since} ms, fetched and parsed`);
  expect(await page.locator('.pane .json-row').count()).toBeLessThan(80);
  await chooseTab(page, 'Structured');
});

it('a 200 MB file is indexed; a step is read when it is opened', { timeout: 180_000 }, async () => {
  const path = join(folder, 'huge.ndjson');
  const out = createWriteStream(path);
  out.write(header());
  let seq = 0;
  const padding = 'x'.repeat(60_000);
  for (const step of madeSteps(3400, padding)) {
    if (!out.write(encodeStep(step, ++seq)))
      await new Promise<void>((resolve) => out.once('drain', () => resolve()));
  }
  await new Promise<void>((resolve) => out.end(() => resolve()));
  const since = Date.now();
  await open(path);
  await page.locator('#tree [role="treeitem"]').nth(5).waitFor();
  console.log(`big file: usable after ${Date.now() - since} ms`);
  await expect
    .poll(() => page.locator('.footer').textContent(), { timeout: 120_000 })
    .toContain('10,202 steps');
  console.log(`big file: indexed after ${Date.now() - since} ms`);
  await page.locator('#filter').fill('round:3400');
  await page.getByRole('treeitem', { name: /^Tool look_up/ }).click();
  await expect.poll(() => page.locator('.pane').textContent()).toContain('needle3400');
  const heap = await page.evaluate(
    () => (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  );
  console.log(`big file: page heap ${(heap / 1e6).toFixed(0)} MB`);
  expect(heap).toBeLessThan(400e6);
});

it('the report opens from disk with the network blocked, and nothing in it runs', async () => {
  let text = header();
  for (const [index, step] of [...madeSteps(2, HOSTILE)].entries()) text += encodeStep(step, index + 1);
  const html = reportHtml({
    trace: text,
    redaction: 'secrets',
    version: '0.1.0',
    name: 'made </script><script>alert(1)</script>',
  });
  const path = file('report.html', html);
  const other = await launch();
  await other.context.setOffline(true);
  const { page: report, faults } = await openPage(other.context, pathToFileURL(path).href);
  const since = Date.now();
  await report.locator('#tree').waitFor();
  console.log(`report: open after ${Date.now() - since} ms`);
  expect(await report.locator('.banners').textContent()).toContain('secrets left out');
  await report
    .getByRole('treeitem', { name: /^Tool look_up/ })
    .first()
    .click();
  expect(await report.locator('.pane').textContent()).toContain('<img src=x onerror=alert(1)>');
  expect(await axe(report)).toEqual([]);
  await report.waitForTimeout(200);
  expect(faults).toEqual([]);
  await other.close();
});

it('the viewer needs no server', async () => {
  const other = await launch();
  const { page: viewer, faults } = await openPage(
    other.context,
    pathToFileURL(at('dist/viewer/index.html')).href,
  );
  await viewer.locator('input[type="file"]').setInputFiles(file('for-viewer.ndjson', madeTrace(2)));
  await viewer.locator('#tree').waitFor();
  expect(await viewer.locator('.strip .pill').textContent()).toBe('Completed');
  expect(faults).toEqual([]);
  await other.close();
  expect(readFileSync(at('dist/viewer/index.html'), 'utf8')).toContain("default-src 'none'");
});
