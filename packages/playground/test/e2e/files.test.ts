import { createWriteStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { encodeStep } from '@glassloop/core/trace-file';
import { expect, it } from 'vitest';
import { reportHtml } from '../../src/share/report.ts';
import { launch } from './chromium.ts';
import { header, madeSteps, madeTrace } from './made.ts';
import { openedFiles } from './opened-files.ts';
import { axe, chooseStep, chooseTab, openPage, runToEnd } from './pages.ts';
import { HOSTILE } from './scenes.ts';
import { at } from './stage.ts';

const opened = openedFiles();
const { open, file, folder } = opened;

it('10,000 steps: few rows exist, scrolling and filtering stay quick', async () => {
  await open(file('many.ndjson', madeTrace(3333)));
  await expect.poll(() => opened.page.locator('.footer').textContent()).toContain('10,001 steps');
  expect(await opened.page.locator('#tree [role="treeitem"]').count()).toBeLessThan(60);
  const frames = await opened.page.evaluate(async () => {
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
  const filtered = await opened.page.evaluate(async () => {
    const field = document.getElementById('filter') as HTMLInputElement;
    const since = performance.now();
    field.value = 'err';
    field.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise(requestAnimationFrame);
    await new Promise(requestAnimationFrame);
    return performance.now() - since;
  });
  console.log(`10,000 steps: filter ${filtered.toFixed(0)} ms`);
  await expect.poll(() => opened.page.locator('#tree [aria-level="2"]').count()).toBeGreaterThan(10);
  expect(await opened.page.locator('#tree').textContent()).toContain('look_up');
  await opened.page.locator('#filter').fill('');
  await opened.page.keyboard.press('Escape');
  await opened.page.keyboard.press('Control+f');
  await opened.page.keyboard.type('needle3333');
  await expect.poll(() => opened.page.locator('.find-count').textContent()).toBe('in 1 step');
  await opened.page.keyboard.press('Enter');
  await expect
    .poll(() => opened.page.locator('#tree [aria-selected="true"]').textContent())
    .toContain('round 3,333');
  await opened.page.keyboard.press('Escape');
});

it('a picture is shown when asked for', async () => {
  await open(file('picture.ndjson', madeTrace(1)));
  await chooseStep(opened.page, /^Assemble/);
  await chooseTab(opened.page, /^Messages sent/);
  expect(await opened.page.locator('.pane img').count()).toBe(0);
  await opened.page.getByRole('button', { name: 'Show picture' }).click();
  await opened.page.locator('.pane img').waitFor();
  expect(
    await opened.page
      .locator('.pane img')
      .evaluate((img: HTMLImageElement) => img.complete && img.naturalWidth),
  ).toBe(1);
});

it('a file that ends mid-line, has a bad line or an unknown one opens as far as it goes', async () => {
  const lines = madeTrace(2).trimEnd().split('\n');
  lines.splice(3, 0, 'this is no JSON', '{"type":"thought","seq":99}');
  await open(file('broken.ndjson', `${lines.slice(0, -1).join('\n')}\n${lines.at(-1)!.slice(0, 40)}`));
  await expect
    .poll(() => opened.page.locator('.banners').textContent())
    .toContain('The file ends in the middle of a step');
  expect(await opened.page.locator('#tree').textContent()).toContain('Unknown event');
  expect(await opened.page.locator('.strip .pill').textContent()).toBe('Interrupted: no end recorded');
  await opened.page.getByRole('treeitem', { name: /^Line 4/ }).click();
  expect(await opened.page.locator('.pane').textContent()).toContain('this is no JSON');
});

it('an unknown ending is said to be unknown', async () => {
  await open(
    file('odd.ndjson', madeTrace(1).replace('"stopReason":"completed"', '"stopReason":"enlightened"')),
  );
  await expect
    .poll(() => opened.page.locator('.strip .pill').textContent())
    .toBe('Unknown state: enlightened');
});

it('two files are compared', async () => {
  const text = madeTrace(2);
  await open(file('a.ndjson', text), file('b.ndjson', text.replace('Round 2', 'Second round')));
  await expect
    .poll(() => opened.page.locator('.compare-bar b').textContent())
    .toMatch(/First difference: Response, round 2, message\.content/);
  expect(await opened.page.locator('.compare-detail').textContent()).toContain('Second round');
  expect(await opened.page.locator('.compare-rows .differs').count()).toBe(1);
  expect(await axe(opened.page)).toEqual([]);
});

it('a 5 MB raw body opens at once and is searched', async () => {
  await runToEnd(opened.page, 'big: go on', { raw: true });
  await chooseStep(opened.page, /^Final answer/);
  const since = Date.now();
  await chooseTab(opened.page, 'Raw JSON');
  await opened.page
    .locator('.pane')
    .getByRole('button', { name: /Show all/ })
    .click();
  await opened.page.locator('.pane .json-row').first().waitFor();
  console.log(`5 MB raw body: ${Date.now() - since} ms, fetched and parsed`);
  expect(await opened.page.locator('.pane .json-row').count()).toBeLessThan(80);
  await chooseTab(opened.page, 'Structured');
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
  await opened.page.locator('#tree [role="treeitem"]').nth(5).waitFor();
  console.log(`big file: usable after ${Date.now() - since} ms`);
  await expect
    .poll(() => opened.page.locator('.footer').textContent(), { timeout: 120_000 })
    .toContain('10,202 steps');
  console.log(`big file: indexed after ${Date.now() - since} ms`);
  await opened.page.locator('#filter').fill('round:3400');
  await opened.page.getByRole('treeitem', { name: /^Tool look_up/ }).click();
  await expect.poll(() => opened.page.locator('.pane').textContent()).toContain('needle3400');
  const heap = await opened.page.evaluate(
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
