import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { evaluate } from './calculate.ts';
import { timeIn } from './current-time.ts';
import { BUILT_IN_NAMES, builtInTools } from './index.ts';

let outside: string;
let root: string;

beforeAll(async () => {
  outside = await mkdtemp(join(tmpdir(), 'glassloop-tools-'));
  root = join(outside, 'project');
  await mkdir(join(root, 'docs'), { recursive: true });
  await mkdir(join(root, '.git'));
  await writeFile(join(outside, 'secret.txt'), 'outside');
  await mkdir(join(outside, 'project-two'));
  await writeFile(join(outside, 'project-two', 'x.txt'), 'sibling');
  await writeFile(join(root, 'a.txt'), 'hello');
  await writeFile(join(root, 'run.ndjson'), 'the trace that is being written');
  await writeFile(join(root, '.env'), 'KEY=1');
  await writeFile(join(root, '.git', 'config'), 'x');
  await writeFile(join(root, 'docs', 'b.md'), 'é'.repeat(30_000));
  await writeFile(join(root, 'logo.png'), new Uint8Array([0x89, 0x50, 0, 1]));
  await writeFile(join(root, 'latin1.txt'), new Uint8Array([0x63, 0x61, 0x66, 0xe9, 0x0a]));
  await writeFile(join(root, '..data'), 'begins with two dots');
  await symlink(join(outside, 'secret.txt'), join(root, 'out-link'));
  await symlink(outside, join(root, 'out-folder'));
  await symlink(join(root, 'a.txt'), join(root, 'in-link'));
  await symlink(join(root, '.env'), join(root, 'env-link'));
  await symlink(join(root, 'nowhere'), join(root, 'dead-link'));
});

afterAll(() => rm(outside, { recursive: true, force: true }));

async function call(name: string, input: unknown): Promise<unknown> {
  const tool = builtInTools({ root, except: join(root, 'run.ndjson') }).find(
    (candidate) => candidate.name === name,
  )!;
  return tool.execute(input, { toolCallId: 'c', round: 1, signal: new AbortController().signal });
}

test('the list of names is that of the tools', () => {
  expect(builtInTools({ root: '.' }).map((tool) => tool.name)).toEqual(BUILT_IN_NAMES);
});

describe('read_file', () => {
  test('reads text, also through a link that stays inside', async () => {
    expect(await call('read_file', { path: 'a.txt' })).toBe('hello');
    expect(await call('read_file', { path: './docs/../a.txt' })).toBe('hello');
    expect(await call('read_file', { path: 'in-link' })).toBe('hello');
  });

  test.each([
    ['../secret.txt'],
    ['docs/../../secret.txt'],
    ['/etc/passwd'],
    ['C:\\Windows\\win.ini'],
    ['\\\\server\\share'],
    ['~/.ssh/id_rsa'],
    ['../project-two/x.txt'],
    ['..'],
    ['out-link'],
    ['out-folder/secret.txt'],
    ['.env'],
    ['./.env'],
    ['docs/../.env'],
    ['.git/config'],
    ['env-link'],
    ['..data'],
    ['a.txt\0.png'],
    ['dead-link'],
    ['missing.txt'],
    ['run.ndjson'],
    ['docs/../run.ndjson'],
    ['docs'],
    [''],
  ])('refuses %j', async (path) => {
    await expect(call('read_file', { path })).rejects.toThrow(
      /refused|allowed|no file or folder|not a file|NUL/,
    );
  });

  test.each([[undefined], [null], [7], [{ path: 3 }], [{}]])('refuses arguments %j', async (input) => {
    await expect(call('read_file', input)).rejects.toThrow('"path" must be a text');
  });

  test('shows the beginning of a long file, cut between characters, and says so', async () => {
    const text = (await call('read_file', { path: 'docs/b.md' })) as string;
    expect(text.startsWith('é'.repeat(20_000))).toBe(true);
    expect(text).not.toContain('\ufffd');
    expect(text).toContain('[docs/b.md has 60000 bytes; these are the first 40000.]');
  });

  test('says in words that a file is binary', async () => {
    expect(await call('read_file', { path: 'logo.png' })).toBe(
      'logo.png is a binary file of 4 bytes; it is not shown.',
    );
    expect(await call('read_file', { path: 'latin1.txt' })).toContain('binary file');
  });
});

describe('list_files', () => {
  test('names, kinds and sizes; nothing hidden, nothing of what lies outside', async () => {
    expect(await call('list_files', {})).toEqual({
      folder: '.',
      entries: [
        { name: 'a.txt', kind: 'file', bytes: 5 },
        { name: 'dead-link', kind: 'link' },
        { name: 'docs', kind: 'folder' },
        { name: 'env-link', kind: 'link' },
        { name: 'in-link', kind: 'file', bytes: 5 },
        { name: 'latin1.txt', kind: 'file', bytes: 5 },
        { name: 'logo.png', kind: 'file', bytes: 4 },
        { name: 'out-folder', kind: 'link' },
        { name: 'out-link', kind: 'link' },
      ],
      hiddenEntries: 3,
    });
    expect(await call('list_files', { path: 'docs' })).toEqual({
      folder: 'docs',
      entries: [{ name: 'b.md', kind: 'file', bytes: 60_000 }],
    });
  });

  test.each([['..'], ['/'], ['out-folder'], ['.git'], ['a.txt'], ['missing']])('refuses %j', async (path) => {
    await expect(call('list_files', { path })).rejects.toThrow();
  });
});

describe('calculate', () => {
  test.each([
    ['1 + 2 * 3', '7'],
    ['(1 + 2) * 3', '9'],
    ['0.1 + 0.2', '0.3'],
    ['2 ^ 3 ^ 2', '512'],
    ['2**10', '1024'],
    ['-2^2', '-4'],
    ['2 ^ -1', '0.5'],
    ['10 % 4', '2'],
    ['7 / 2', '3.5'],
    ['--3', '3'],
    ['3 × 4 ÷ 6 − 1', '1'],
    ['sqrt(16) + max(1, 2, 3) + MIN(4, 5)', '11'],
    ['round(2.5) + floor(-1.5)', '1'],
    ['1e3', '1000'],
    ['.5 * 2.', '1'],
    ['2 * pi', '6.28318530717959'],
    ['-0', '0'],
  ])('%s = %s', (expression, value) => {
    expect(evaluate(expression)).toBe(value);
  });

  test.each([
    [''],
    ['1 +'],
    ['(1'],
    ['1 2'],
    ['1,000'],
    ['process.exit()'],
    ['constructor'],
    ['__proto__'],
    ['toString(1)'],
    ['1; 2'],
    ['0x10'],
    ['a = 1'],
  ])('refuses %j', (expression) => {
    expect(() => evaluate(expression)).toThrow(/Expected/);
  });

  test('says what is wrong with a result or a size', () => {
    expect(() => evaluate('1 / 0')).toThrow('division by zero');
    expect(() => evaluate('0 / 0')).toThrow('not a number');
    expect(() => evaluate('sqrt(-1)')).toThrow('not a number');
    expect(() => evaluate('9'.repeat(501))).toThrow('longer than 500');
    expect(() => evaluate('('.repeat(200) + 1 + ')'.repeat(200))).toThrow('nested');
    expect(() => evaluate(`${'2^'.repeat(200)}1`)).toThrow('nested');
    expect(evaluate('2^60')).toContain('about');
  });
});

describe('current_time', () => {
  const now = new Date('2025-07-01T22:05:09Z');

  test('the local time with its offset', () => {
    expect(timeIn('UTC', now)).toBe('Tuesday, 2025-07-01 22:05:09, UTC+00:00 (UTC)');
    expect(timeIn('Europe/Berlin', now)).toBe('Wednesday, 2025-07-02 00:05:09, UTC+02:00 (Europe/Berlin)');
    expect(timeIn('Asia/Kolkata', now)).toContain('Wednesday, 2025-07-02 03:35:09, UTC+05:30');
  });

  test('an unknown zone is refused with advice', () => {
    expect(() => timeIn('Mars/Base', now)).toThrow('There is no time zone "Mars/Base". Use an IANA name');
  });
});
