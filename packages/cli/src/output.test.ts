import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Output } from './output.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function terminal(isTTY: boolean, env: Record<string, string> = {}, secrets: string[] = []) {
  const written = { stdout: '', stderr: '' };
  const stream = (name: keyof typeof written) => ({
    isTTY,
    columns: 40,
    write(text: string) {
      written[name] += text;
    },
  });
  const output = new Output({
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    env,
    secrets,
  });
  return { output, stdout: () => written.stdout, stderr: () => written.stderr };
}

describe('while something is being waited for', () => {
  test('a terminal shows what and for how long, and the line is gone before the next one', () => {
    const { output, stdout, stderr } = terminal(true);
    output.activity('waiting for openai');
    vi.advanceTimersByTime(1000);
    expect(stderr()).toContain('waiting for openai');
    output.account(['done']);
    expect(stderr().endsWith('\r\u001b[2K')).toBe(true);
    expect(stdout()).toBe('done\n');
  });

  test('elsewhere a plain line says so every ten seconds', () => {
    const { output, stdout, stderr } = terminal(false);
    output.activity('waiting for openai');
    vi.advanceTimersByTime(9000);
    expect(stdout()).toBe('');
    vi.advanceTimersByTime(12_000);
    expect(stdout()).toBe('  … waiting for openai, 10 s so far\n  … waiting for openai, 20 s so far\n');
    expect(stderr()).toBe('');
    output.activity(undefined);
    vi.advanceTimersByTime(60_000);
    expect(stdout().split('\n')).toHaveLength(3);
  });

  test('nothing at all when only the answer is wanted', () => {
    const { output, stdout, stderr } = terminal(false);
    output.accountTo('nowhere');
    output.activity('waiting');
    vi.advanceTimersByTime(60_000);
    expect(stdout() + stderr()).toBe('');
  });
});

test('colours on a terminal, never with NO_COLOR, on a dumb one, or elsewhere', () => {
  const isColoured = (isTTY: boolean, env = {}) => terminal(isTTY, env).output.style.bad('x') !== 'x';
  expect(isColoured(true)).toBe(true);
  expect(isColoured(true, { NO_COLOR: '' })).toBe(true);
  expect(isColoured(true, { NO_COLOR: '1' })).toBe(false);
  expect(isColoured(true, { TERM: 'dumb' })).toBe(false);
  expect(isColoured(false, { FORCE_COLOR: '1' })).toBe(false);
});

test('C117 the value of a key variable is blacked out wherever it is written', () => {
  const { output, stdout, stderr } = terminal(true, {}, ['KEY-SENTINEL-7f3a']);
  output.account(['a KEY-SENTINEL-7f3a']);
  output.result(['b KEY-SENTINEL-7f3a']);
  output.error(['c KEY-SENTINEL-7f3a']);
  output.activity('d KEY-SENTINEL-7f3a');
  vi.advanceTimersByTime(500);
  expect(stdout() + stderr()).not.toContain('SENTINEL');
});
