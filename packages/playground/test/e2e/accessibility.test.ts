import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { axe, chooseStep, openForm, overflows, run, runToEnd } from './pages.ts';
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

/** In both themes, wide and narrow. */
async function expectClean(name: string): Promise<void> {
  const found: string[] = [];
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(30);
      // What a theme changes is colours.
      const rules = colorScheme === 'light' ? 'all' : 'colours';
      found.push(
        ...(await axe(page, rules)).map((fault) => `${name}, ${colorScheme}, ${width} px: ${fault}`),
      );
    }
    if (await overflows(page)) found.push(`${name} scrolls sideways at ${width} px`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  expect(found).toEqual([]);
}

describe('axe finds nothing', { timeout: 120_000 }, () => {
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

  it('in every tab of every kind of step', async () => {
    await runToEnd(page, 'tools: what is an owl?', { raw: true });
    for (const step of [/^Assemble/, /^Request, round 1/, /^Response/, /look_up/, /^End/]) {
      await chooseStep(page, step);
      const tabs = await page.locator('.detail [role="tab"]').count();
      for (let tab = 0; tab < tabs; tab++) {
        await page.locator('.detail [role="tab"]').nth(tab).click();
        expect(await axe(page), `${step}, tab ${tab + 1}`).toEqual([]);
      }
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.locator('.bottom-bar button').nth(1).click();
    expect(await axe(page), 'detail, narrow').toEqual([]);
    expect(await overflows(page)).toBe(false);
    await page.locator('.bottom-bar button').nth(2).click();
    expect(await axe(page), 'context, narrow').toEqual([]);
    await page.locator('.bottom-bar button').nth(0).click();
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  it('while it runs, in a dry run, in the lists and dialogs', async () => {
    await run(page, 'slow: tell me');
    await page.locator('.streaming').first().waitFor();
    await expectClean('running');
    await page.keyboard.press('?');
    await expectClean('keys');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.strip .pill.quiet').waitFor();
    await expectClean('stopped');
    await runToEnd(page, 'plain: hello', { dryRun: true });
    await expectClean('dry run');
    await page.getByRole('button', { name: 'Export' }).click();
    expect(await axe(page), 'export').toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('#tree').focus();
    await page.keyboard.press('Control+f');
    expect(await axe(page), 'find').toEqual([]);
    await page.keyboard.press('Escape');
    await page.locator('#filter').fill('nothing like this');
    expect(await axe(page), 'no match').toEqual([]);
    for (const screen of ['history', 'open', 'compare']) {
      await page.goto(`${page.url().split('#')[0]}#/${screen}`);
      await page.locator('h1').first().waitFor();
      await page.waitForTimeout(250);
      await expectClean(screen);
    }
    await page.goto(`${page.url().split('#')[0]}#/history`);
    await page.locator('.run input').nth(0).check();
    await page.locator('.run input').nth(1).check();
    expect(await axe(page), 'history, two chosen').toEqual([]);
    await page.getByRole('button', { name: 'Compare 2' }).click();
    await page.locator('.compare-body').waitFor();
    await expectClean('compare');
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
