import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { axeEverywhere, chooseStep, openForm, runToEnd } from './pages.ts';
import { ensureBuilt, type Stage, startStage, TOKEN } from './stage.ts';

let stage: Stage;
let browser: Browser;
let page: Page;
let first: string;
beforeAll(async () => {
  await ensureBuilt();
  [stage, browser] = [await startStage(), await launch()];
  page = (await openForm(browser.context, stage)).page;
  await runToEnd(page, 'tools: what is an owl?');
  first = /#\/r\/(\w+)/.exec(page.url())![1]!;
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
});

const get = async (path: string) =>
  (
    await fetch(`${stage.playground.origin}/api/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  ).json();
const stepsOf = async (id: string) => {
  const { rows } = await get(`/runs/${id}`);
  return Promise.all(
    rows.map(async ({ seq }: { seq: number }) => (await get(`/runs/${id}/steps/${seq}`)).step),
  );
};
const currentRun = () => /#\/r\/(\w+)/.exec(page.url())?.[1];

it('takes the conversation of a request into the form; it is sent just so, and the run says where it is from', async () => {
  await chooseStep(page, /^Request, round 2/);
  await page.locator('#tree').focus();
  await page.keyboard.press('r');
  await page.locator('#field-prompt').waitFor();
  expect(page.url()).toMatch(new RegExp(`#/run\\?from=${first}&step=\\d+$`));
  expect(await page.locator('.notice').textContent()).toMatch(/continues a conversation of 5 messages/);
  expect(await page.locator('#field-prompt').inputValue()).toBe('');
  expect(await axeEverywhere(page, 'run from here')).toEqual([]);
  // The link alone brings the same form.
  await page.reload();
  await page.locator('.notice').waitFor();
  await page.locator('#field-prompt').focus();
  await page.keyboard.press('Control+Enter');
  await expect.poll(currentRun).not.toBe(undefined);
  await page.locator('.strip .pill.ok').waitFor();
  const fork = currentRun()!;
  expect(fork).not.toBe(first);
  const [before, after] = [await get(`/runs/${first}/messages`), await get(`/runs/${fork}/messages`)];
  expect(after.messages.slice(0, 5)).toEqual(before.messages.slice(0, 5));
  const [assembled] = await stepsOf(fork);
  expect(assembled.added).toHaveLength(5);
  expect(assembled.settings).toMatchObject({ model: 'stage-1', maxRounds: 4 });
  const { summary } = await get(`/runs/${fork}`);
  expect(summary.forkedFrom.run).toBe(first);
  await page.goto(`${stage.playground.origin}/#/history`);
  await page.getByRole('link', { name: new RegExp(`from ${first}, step`) }).click();
  await expect
    .poll(() => page.locator('#tree [aria-selected="true"]').textContent())
    .toMatch(/^Request, round 2/);
});

it('what is typed comes behind the conversation', async () => {
  await page.goto(`${stage.playground.origin}/#/r/${first}`);
  await page.locator('.strip .pill.ok').waitFor();
  await chooseStep(page, /^Response, round 1/);
  await page.getByRole('button', { name: 'Run from here' }).click();
  await page.locator('.notice').waitFor();
  await page.locator('#field-prompt').fill('plain: and now in one word');
  await page.keyboard.press('Control+Enter');
  await expect.poll(currentRun).not.toBe(undefined);
  await page.locator('.strip .pill.ok').waitFor();
  const [assembled] = await stepsOf(currentRun()!);
  expect(assembled.added.map(({ role }: { role: string }) => role)).toEqual(['system', 'user', 'user']);
  expect(assembled.added.at(-1).content).toBe('plain: and now in one word');
});

it('a whole run is taken into the form as it was asked for; what is not there is said', async () => {
  await page.goto(`${stage.playground.origin}/#/run?from=${first}`);
  await page.locator('#field-prompt').waitFor();
  expect(await page.locator('#field-prompt').inputValue()).toBe('tools: what is an owl?');
  await page.goto(`${stage.playground.origin}/#/run?from=nothing&step=3`);
  await expect.poll(() => page.locator('.empty [role="alert"]').textContent()).toContain('nothing');
  await page.getByRole('link', { name: 'Run', exact: true }).last().click();
  await page.locator('#field-prompt').waitFor();
});

it('without a step there is nothing to run from, and that is said', async () => {
  await page.goto(`${stage.playground.origin}/#/r/${first}`);
  await chooseStep(page, /^Round 1/);
  await page.locator('#tree').focus();
  await page.keyboard.press('r');
  await expect
    .poll(() => page.locator('[aria-live]').allTextContents())
    .toContain('Only a step of a run in the history can be run from');
});
