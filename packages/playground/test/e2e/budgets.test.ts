import { readdirSync, readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { at, ensureBuilt } from './stage.ts';

const KB = 1024;
beforeAll(ensureBuilt);

function packed(path: string): number {
  return gzipSync(readFileSync(at(path)), { level: 9 }).length;
}

function assets(pattern: RegExp): readonly string[] {
  return readdirSync(at('dist/client/assets')).filter((name) => pattern.test(name));
}

/** What the browser must have before the page is there: the entry and all it imports statically. */
function firstScripts(): ReadonlySet<string> {
  const html = readFileSync(at('dist/client/index.html'), 'utf8');
  const found = new Set<string>();
  const visit = (name: string) => {
    if (found.has(name)) return;
    found.add(name);
    const code = readFileSync(at(`dist/client/assets/${name}`), 'utf8');
    for (const match of code.matchAll(/(?:from|import)\s*["']\.\/([\w.-]+\.js)["']/g)) visit(match[1]!);
  };
  for (const match of html.matchAll(/\/assets\/([\w.-]+\.js)/g)) visit(match[1]!);
  return found;
}

function sum(names: Iterable<string>): number {
  return [...names].reduce((total, name) => total + packed(`dist/client/assets/${name}`), 0);
}

describe('the page keeps its budgets, packed', () => {
  it.each([
    ['first JavaScript', () => sum(firstScripts()), 60],
    ['first CSS', () => sum(assets(/\.css$/)), 12],
    ['all JavaScript, in one language', () => sum(assets(/^(?!de-).*\.js$/)), 120],
    ['markdown', () => sum(assets(/^markdown-.*\.js$/)), 30],
    ['compare', () => sum(assets(/^compare-.*\.js$/)), 12],
    ['report and viewer', () => packed('dist/report-template.html'), 130],
  ] as const)('%s', (name, measure, most) => {
    const size = measure();
    console.log(`${name}: ${(size / KB).toFixed(1)} KB of ${most}`);
    expect(size).toBeLessThanOrEqual(most * KB);
  });

  it('nothing inline, nothing from elsewhere', () => {
    const html = readFileSync(at('dist/client/index.html'), 'utf8');
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|https?:/);
    const report = readFileSync(at('dist/report-template.html'), 'utf8');
    expect(report).toMatch(
      /Content-Security-Policy" content="default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-/,
    );
    expect(report).not.toMatch(/unsafe-/);
    expect(report.match(/%GLASSLOOP_REPORT%/g)).toHaveLength(1);
  });
});
