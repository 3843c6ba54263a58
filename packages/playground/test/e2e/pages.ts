import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { BrowserContext, Page } from 'playwright-core';
import type { Stage } from './stage.ts';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A page that keeps a record of whatever should not happen. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors, policy reports, dialogs, navigations and requests to anywhere else. */
  readonly faults: string[];
}

export async function openPage(context: BrowserContext, address: string): Promise<WatchedPage> {
  const page = await context.newPage();
  const faults: string[] = [];
  const origin = new URL(address).origin;
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => {
    const isExpected = /status of (4\d\d|5\d\d)|ERR_|Failed to load resource/.test(message.text());
    if (message.type() === 'error' && !isExpected) faults.push(`console: ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    faults.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    const url = request.url();
    if (!/^(data|blob):/.test(url) && origin !== 'null' && new URL(url).origin !== origin)
      faults.push(`request: ${url}`);
  });
  page.on('framenavigated', (frame) => {
    if (!frame.url().startsWith(address.split('#')[0] as string)) faults.push(`navigation: ${frame.url()}`);
  });
  await page.goto(address);
  return { page, faults };
}

export async function openForm(context: BrowserContext, stage: Stage): Promise<WatchedPage> {
  const opened = await openPage(context, stage.playground.url);
  await opened.page.locator('#field-prompt').waitFor();
  return opened;
}

/** Fills in the prompt and runs. */
export async function run(
  page: Page,
  prompt: string,
  options: { raw?: boolean; dryRun?: boolean } = {},
): Promise<void> {
  // A form that was left is a new form.
  await page.goto(`${page.url().split('#')[0]}#/open`);
  await page.goto(`${page.url().split('#')[0]}#/run`);
  await page.locator('#field-prompt').fill(prompt);
  if (options.raw === true) await page.getByLabel('Capture raw provider bodies').check();
  await page.keyboard.press(options.dryRun === true ? 'Control+Shift+Enter' : 'Control+Enter');
  await page.locator('.strip').waitFor();
}

export async function status(page: Page): Promise<string> {
  return (await page.locator('.strip .pill').textContent()) ?? '';
}

export async function runToEnd(
  page: Page,
  prompt: string,
  options: { raw?: boolean; dryRun?: boolean } = {},
): Promise<string> {
  await run(page, prompt, options);
  await page.locator('.strip .pill:not(.running)').waitFor();
  return status(page);
}

export async function chooseStep(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole('treeitem', { name }).first().click();
}

export async function chooseTab(page: Page, name: string | RegExp): Promise<void> {
  await page.locator('.detail').getByRole('tab', { name }).click();
}

/** What axe has against the page, as short sentences; the A and AA rules of WCAG 2.2, and its best practices. */
export async function axe(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axeSource);
  return page.evaluate(async () => {
    const { axe: tool } = globalThis as unknown as {
      axe: {
        run(
          where: Document,
          options: object,
        ): Promise<{ violations: { id: string; nodes: { target: string[]; failureSummary: string }[] }[] }>;
      };
    };
    const { violations } = await tool.run(document, {
      runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
      resultTypes: ['violations'],
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes
        .slice(0, 4)
        .map(({ target, failureSummary }) => `${id} ${target.join(' ')}: ${failureSummary.split('\n')[1]}`),
    );
  });
}

/** The same in both themes, wide and narrow; and whether anything scrolls sideways. */
export async function axeEverywhere(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [width, height] of [
    [1440, 900],
    [360, 740],
  ] as const) {
    await page.setViewportSize({ width, height });
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      await page.waitForTimeout(30);
      found.push(...(await axe(page)).map((fault) => `${name}, ${colorScheme}, ${width} px: ${fault}`));
    }
    if (await overflows(page)) found.push(`${name} scrolls sideways at ${width} px`);
  }
  await page.emulateMedia({ colorScheme: 'light' });
  await page.setViewportSize({ width: 1440, height: 900 });
  return found;
}

/** Whether anything makes the page scroll sideways. */
export function overflows(page: Page): Promise<boolean> {
  return page.evaluate(() => document.documentElement.scrollWidth > innerWidth + 1);
}
