import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { axeEverywhere, chooseStep, openForm, run, runToEnd } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  page = (await openForm(browser.context, stage)).page;
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

async function expectClean(name: string): Promise<void> {
  expect(await axeEverywhere(page, name)).toEqual([]);
}

describe('axe finds nothing', { timeout: 240_000 }, () => {
  it('in the form, open and closed', async () => {
    await page.goto(`${page.url().split('#')[0]}#/run`);
    await expectClean('form');
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll('details')) fold.open = true;
    });
    await page.getByLabel('create_ticket').check();
    await expectClean('form, all open');
  });

  it.each([
    ['completed', 'tools: what is an owl?'],
    ['failed tool', 'failing: what is an owl?'],
    ['error', 'error: what is an owl?'],
    ['round cap', 'loop: go on'],
    ['truncated', 'length: go on'],
    ['hostile', 'hostile: do your worst'],
  ])('in a run: %s', async (name, prompt) => {
    await runToEnd(page, prompt, { raw: true });
    await expectClean(name);
  });

  it.each([
    ['an assembled prompt', /^Assemble/],
    ['a request', /^Request, round 1/],
    ['a response', /^Response/],
    ['a tool', /look_up/],
    ['the end', /^End/],
    ['a round', /^Round 1/],
  ])('in every tab of %s', async (name, step) => {
    await runToEnd(page, 'tools: what is an owl?', { raw: true });
    await chooseStep(page, step);
    const tabs = await page.locator('.detail [role="tab"]').count();
    for (let tab = 0; tab < tabs; tab++) {
      await page.locator('.detail [role="tab"]').nth(tab).click();
      await page.setViewportSize({ width: 360, height: 740 });
      await page.locator('.bottom-bar button').nth(1).click();
      await expectClean(`${name}, tab ${tab + 1}`);
    }
  });

  it('in the tabs of an error, and in the context', async () => {
    await runToEnd(page, 'error: what is an owl?', { raw: true });
    await chooseStep(page, /^Error/);
    const tabs = await page.locator('.detail [role="tab"]').count();
    for (let tab = 0; tab < tabs; tab++) {
      await page.locator('.detail [role="tab"]').nth(tab).click();
      await expectClean(`error, tab ${tab + 1}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.bottom-bar button').nth(2).click();
    await expectClean('context');
  });

  it('while it streams, waits, runs a tool; and when it was stopped', async () => {
    await run(page, 'slow: tell me');
    await page.locator('.streaming').first().waitFor();
    await expectClean('streaming');
    await page.keyboard.press('?');
    await expectClean('keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.strip .pill.quiet').waitFor();
    await expectClean('stopped');
    for (const [scene, row] of [
      ['silent: tell me', /^Waiting/],
      ['hang: tell me', /^slow is running/],
    ] as const) {
      await run(page, scene);
      await chooseStep(page, row);
      await expectClean(scene);
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.locator('.strip .pill.quiet').waitFor();
    }
  });

  it('in a dry run, its menus and what finds nothing', async () => {
    await runToEnd(page, 'plain: hello', { dryRun: true });
    await expectClean('dry run');
    await page.getByRole('button', { name: 'Export' }).click();
    await expectClean('export');
    await page.keyboard.press('Escape');
    await page.locator('#tree').focus();
    await page.keyboard.press('Control+f');
    await expectClean('find');
    await page.keyboard.press('Escape');
    await page.locator('#filter').fill('nothing like this');
    await expectClean('no match');
  });

  it('in the other screens', async () => {
    for (const screen of ['history', 'history?q=nothing-like-this', 'open', 'compare']) {
      await page.goto(`${page.url().split('#')[0]}#/${screen}`);
      await page.locator('h1').first().waitFor();
      await page.waitForTimeout(250);
      await expectClean(screen);
    }
    await page.goto(`${page.url().split('#')[0]}#/history`);
    await page.locator('.run input').nth(0).check();
    await page.locator('.run input').nth(1).check();
    await expectClean('history, two chosen');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await expectClean('deleting');
    await page.keyboard.press('Escape');
    await page
      .getByRole('button', { name: /^Title, note and tags/ })
      .first()
      .click();
    await expectClean('title, note and tags');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Compare 2' }).click();
    await page.locator('.compare-body').waitFor();
    await expectClean('compare');
  });

  it('at the lock', async () => {
    const other = await launch();
    const locked = await other.context.newPage();
    await locked.goto(stage.playground.origin);
    await locked.locator('.unlock input').waitFor();
    expect(await axeEverywhere(locked, 'lock')).toEqual([]);
    await locked.locator('.unlock input').fill('wrong-token');
    await locked.keyboard.press('Enter');
    await locked.locator('#unlock-wrong').waitFor();
    expect(await axeEverywhere(locked, 'wrong token')).toEqual([]);
    await other.close();
  });

  it('in the other languages', async () => {
    for (const language of ['de', 'pseudo']) {
      await page.evaluate((chosen) => localStorage.setItem('glassloop.language', chosen), language);
      await page.reload();
      await page.goto(`${page.url().split('#')[0]}#/run`);
      await page.locator('#field-prompt').waitFor();
      await expectClean(`form, ${language}`);
      await runToEnd(page, 'tools: what is an owl?');
      await expectClean(`run, ${language}`);
    }
    await page.evaluate(() => localStorage.removeItem('glassloop.language'));
  });
});
