import { anthropic } from '@glassloop/anthropic';
import type { Adapter, AdapterSettings } from '@glassloop/core';
import { google } from '@glassloop/google';
import { groq } from '@glassloop/groq';
import { mistral } from '@glassloop/mistral';
import { ollama } from '@glassloop/ollama';
import { openai } from '@glassloop/openai';
import { openrouter } from '@glassloop/openrouter';
import { type Simulator, startSimulator, wireFormats } from '@glassloop/simulator';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Browser, launch } from './chromium.ts';
import { chooseStep, chooseTab, openForm, run, runToEnd, status, type WatchedPage } from './pages.ts';
import { ensureBuilt, type Stage, startStage } from './stage.ts';

const ADAPTERS = { openai, anthropic, google, mistral, ollama, groq, openrouter } as const satisfies Record<
  string,
  (settings: AdapterSettings) => Adapter
>;

let stage: Stage;
let browser: Browser;
let watched: WatchedPage;
let page: Page;
const simulators: Simulator[] = [];
beforeAll(async () => {
  await ensureBuilt();
  const providers = await Promise.all(
    Object.entries(ADAPTERS).map(async ([name, create]) => {
      const wire = wireFormats[name as keyof typeof wireFormats];
      const simulator = await startSimulator({
        wire,
        respond: (seen) =>
          seen.messages.some((message) => message.role === 'tool')
            ? { say: `An owl, says ${name}.` }
            : { callTools: [{ name: 'look_up', arguments: { word: 'owl' } }] },
      });
      simulators.push(simulator);
      return {
        name,
        ready: true,
        models: [{ id: 'some-model' }],
        takesAnyModel: true,
        capabilities: null,
        create: (model: string) => create({ model, apiKey: 'canary-key-7781', baseURL: simulator.baseURL }),
      };
    }),
  );
  [stage, browser] = [await startStage({ providers }), await launch()];
  watched = await openForm(browser.context, stage);
  page = watched.page;
});
afterAll(async () => {
  await browser?.close();
  await stage?.close();
  for (const simulator of simulators) await simulator.close({ force: true });
});

describe('a run with each adapter, watched to the end', () => {
  it.each(Object.keys(ADAPTERS))('%s', async (name) => {
    await page.goto(`${stage.playground.origin}/#/run`);
    await page.locator('#field-prompt').fill('What is an owl?');
    await page.locator('#field-configuration').selectOption('');
    await page.locator('#field-provider').selectOption(name);
    await page.getByLabel('Capture raw provider bodies').check();
    await page.keyboard.press('Control+Enter');
    await page.locator('.strip .pill.ok').waitFor();
    await expect
      .poll(() => page.locator('#tree [aria-selected="true"]').textContent())
      .toMatch(/^Final answer/);
    await expect
      .poll(() => page.locator('.pane .prose').first().textContent())
      .toContain(`An owl, says ${name}.`);
    await chooseStep(page, /^Tool look_up/);
    expect(await page.locator('.pane').textContent()).toContain('A owl is a thing.');
    await chooseStep(page, /^Response/);
    await chooseTab(page, 'Raw JSON');
    await page.locator('.pane .json-row').first().waitFor();
    await chooseTab(page, 'Structured');
    expect(await page.content()).not.toContain('canary-key-7781');
  });
});

describe('C129 the state of a run is said', () => {
  it.each([
    ['length: go on', 'Cut at the output limit', 'response'],
    ['loop: go on', 'Stopped: all rounds used', 'Request, round 4'],
    ['error: go on', 'Failed in round 2', 'look_up'],
    ['plain: hello', 'Completed', 'Final answer'],
    ['retry: go on', 'Completed', 'Failed attempt'],
  ])('%s is %s', async (prompt, label, kept) => {
    await runToEnd(page, prompt);
    expect(await status(page)).toBe(label);
    expect((await page.locator('#tree').textContent())?.toLowerCase()).toContain(kept.toLowerCase());
  });

  it('0 is 0, unknown is unknown', async () => {
    await runToEnd(page, 'zero: go on');
    const cell = (name: string) => page.locator('.strip dl > div', { hasText: name }).locator('dd');
    expect(await cell('Tokens').textContent()).toMatch(/^0/);
    expect(await cell('Est. cost').textContent()).toMatch(/^\$0\.00/);
    await runToEnd(page, 'unknown: go on');
    expect(await cell('Tokens').textContent()).toMatch(/^—/);
    expect(await cell('Est. cost').textContent()).toMatch(/^—/);
  });

  it('stopped: the tool and the provider are let go, what came is kept', async () => {
    await run(page, 'slow: go on');
    await page.locator('.streaming', { hasText: 'word5' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.strip .pill.quiet').waitFor();
    expect(await status(page)).toBe('Stopped in round 1');
    await chooseStep(page, /^Error/);
    expect(await page.locator('.pane').textContent()).toContain('word5');
    await run(page, 'hang: go on');
    await page.getByRole('treeitem', { name: /slow is running/ }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.locator('.strip .pill.quiet').waitFor();
  });

  it('a dry run sends nothing and shows all', async () => {
    expect(await runToEnd(page, 'plain: hello', { dryRun: true })).toBe('Assembled, not sent');
    await chooseStep(page, /^Assemble/);
    expect(await page.locator('.pane').textContent()).toContain('plain: hello');
    expect(await page.locator('.strip').textContent()).toContain('not sent');
  });

  it('thinking is shown', async () => {
    await runToEnd(page, 'tools: what is an owl?');
    await chooseStep(page, /^Response/);
    expect(await page.locator('.thinking').textContent()).toContain('Two look-ups will tell.');
    await chooseTab(page, 'Thinking');
    expect(await page.locator('.pane').textContent()).toContain('Two look-ups will tell.');
    await chooseTab(page, 'Raw JSON');
    expect(await page.locator('.pane').textContent()).toContain('Not captured: raw capture was off.');
    await chooseTab(page, 'Structured');
  });
});

it("the reader's place is theirs: selection and scroll survive events", async () => {
  await run(page, 'slow: go on');
  await page.locator('.streaming').first().waitFor();
  await chooseStep(page, /^Assemble/);
  await page.locator('.pane').evaluate((pane) => pane.scrollTo(0, 40));
  const scrolled = await page.locator('.pane').evaluate((pane) => pane.scrollTop);
  await page.waitForTimeout(600);
  expect(await page.locator('#tree [aria-selected="true"]').textContent()).toMatch(/^Assemble/);
  expect(await page.locator('.pane').evaluate((pane) => pane.scrollTop)).toBe(scrolled);
  await page.locator('.news').click();
  await expect
    .poll(() => page.locator('#tree [aria-selected="true"]').textContent())
    .toMatch(/^Waiting|^Receiving/);
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('.strip .pill.quiet').waitFor();
});

it('unticking all tools offers none', async () => {
  await page.goto(`${stage.playground.origin}/#/run`);
  await page.locator('#field-prompt').fill('tools: what is an owl?');
  await page.locator('.tool-actions').getByRole('button', { name: 'None' }).click();
  await page.locator('#field-prompt').press('Control+Shift+Enter');
  await page.locator('.strip .pill.info:not(.running)').waitFor();
  await chooseStep(page, /^Assemble/);
  await chooseTab(page, /^Tools offered/);
  expect(await page.locator('.pane').textContent()).toContain('No tools were offered.');
  await chooseTab(page, /^Structured/);
});

it('a tool that writes is off, and must be allowed', async () => {
  await page.goto(`${stage.playground.origin}/#/run`);
  await page.locator('#field-prompt').fill('plain: hello');
  const ticket = page.getByLabel('create_ticket');
  expect(await ticket.isChecked()).toBe(false);
  await ticket.check();
  const runButton = page.locator('.form-foot .primary');
  expect(await runButton.isDisabled()).toBe(true);
  await page.getByLabel(/can change data/).check();
  expect(await runButton.isDisabled()).toBe(false);
  await runButton.click();
  await page.locator('.strip .pill.ok').waitFor();
});

it('who waits long is told what is usual for the model', async () => {
  const { page: other } = await openForm(browser.context, stage);
  for (let count = 0; count < 4; count++) await runToEnd(other, 'plain: hello');
  await other.clock.install();
  await run(other, 'silent: hello');
  const row = other.getByRole('treeitem', { name: /^Waiting/ });
  await row.waitFor();
  expect(await row.textContent()).not.toContain('usual');
  await other.clock.fastForward(11_000);
  await expect.poll(() => row.textContent()).toMatch(/usual for this model: [\d.]+(–[\d.]+)? m?s/);
  await row.click();
  expect(await other.locator('.pane').textContent()).toContain('usual for this model');
  await other.getByRole('button', { name: 'Stop' }).click();
  await other.locator('.strip .pill.quiet').waitFor();
  await other.close();
});

it('without the token there is only a lock, and it opens', async () => {
  const other = await launch();
  const locked = await other.context.newPage();
  await locked.goto(stage.playground.origin);
  await locked.locator('.unlock input').waitFor();
  expect(await locked.locator('body').textContent()).not.toMatch(/History|Run again|stage/);
  await locked.locator('.unlock input').fill('wrong-token');
  await locked.keyboard.press('Enter');
  await locked.locator('#unlock-wrong').waitFor();
  await locked.locator('.unlock input').fill(stage.playground.url);
  await locked.keyboard.press('Enter');
  await locked.locator('#field-prompt').waitFor();
  expect(locked.url()).not.toContain('t=');
  await other.close();
});

it('nothing failed on the way', () => {
  expect(watched.faults).toEqual([]);
});
