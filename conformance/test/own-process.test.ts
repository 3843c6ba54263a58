import { afterEach, describe, expect, test, vi } from 'vitest';
import { runCases } from '../src/index.ts';
import subject from './reference-subject.ts';

// Each starts a process, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 120_000 });
afterEach(() => vi.unstubAllEnvs());

/** What the suite says of memory when the subject says this of its module. */
async function measured(module: string | undefined) {
  const { wire, create } = subject;
  const results = await runCases(
    { wire, create, ...(module !== undefined && { module }) },
    { only: (one) => one.id === 'capture.request-released' },
  );
  const [{ outcome, reason, error } = { outcome: 'none' }] = results;
  return { outcome, reason, message: error instanceof Error ? error.message : undefined };
}

describe('memory is measured', () => {
  test('in a process of its own, without a word about it', async () => {
    expect(await measured(subject.module)).toEqual({
      outcome: 'pass',
      reason: undefined,
      message: undefined,
    });
  });

  test('in this process when the subject names no module, and the result says so', async () => {
    const { outcome, reason } = await measured(undefined);
    expect(outcome).toBe('pass');
    expect(reason).toContain('measured in the process of the tests');
  });
});

describe('a module that will not do is told from a bad adapter', () => {
  test.each([
    ['exports something else', './reference-adapter.ts', 'must export the subject'],
    ['exports nothing under the name', './reference-subject.ts#acme', 'must export the subject'],
    ['is not there', './nowhere.ts', 'nowhere.ts'],
  ])('when it %s', async (_, file, what) => {
    const { outcome, message } = await measured(new URL(file, import.meta.url).href);
    expect(outcome).toBe('fail');
    expect(message).toContain(what);
  });

  test('when it is no file', async () => {
    const { outcome, message } = await measured('https://acme.example/subject.js');
    expect(outcome).toBe('fail');
    expect(message).toContain('import.meta.url');
  });

  test('when it throws, with what it said and without the keys of the environment', async () => {
    vi.stubEnv('ACME_API_KEY', 'sk-acme-0123456789');
    const { outcome, message } = await measured(new URL('./fixtures/quotes-a-key.js', import.meta.url).href);
    expect(outcome).toBe('fail');
    expect(message).toContain('cannot connect with [redacted]');
    expect(message).toContain('quotes-a-key.js');
    expect(message).not.toContain('sk-acme');
  });
});
