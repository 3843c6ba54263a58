import { describe, expect, test } from 'vitest';
import { glassloop, KEY, tempFolder } from './command.ts';

describe('wrong usage', () => {
  const base = ['--provider', 'openai', '--model', 'm'];
  test.each([
    ['no command', [], 'Usage'],
    ['an unknown command', ['walk'], "unknown command 'walk'"],
    ['an unknown option', ['run', 'x', ...base, '--fast'], "unknown option '--fast'"],
    ['too many prompts', ['run', 'x', 'y', ...base], 'too many arguments'],
    ['no prompt', ['run', ...base], "missing required argument 'prompt'"],
    ['an empty prompt', ['run', ' ', ...base], 'The prompt is empty.'],
    ['an empty prompt from a pipe', ['run', '-', ...base], 'The prompt is empty.'],
    ['no provider', ['run', 'x', '--model', 'm'], 'Neither a provider nor a configuration was named'],
    ['an unknown provider', ['run', 'x', '--provider', 'acme', '--model', 'm'], 'openai, anthropic'],
    ['no model', ['run', 'x', '--provider', 'openai'], 'Name the model with --model ID.'],
    ['a skill without a configuration', ['run', 'x', ...base, '--skill', 's'], 'need a configuration'],
    ['an empty model', ['run', 'x', '--provider', 'openai', '--model', ''], 'not blank'],
    ['no rounds', ['run', 'x', ...base, '--max-rounds', '0'], 'from 1 to 1000'],
    ['rounds that are no number', ['run', 'x', ...base, '--max-rounds', 'many'], 'from 1 to 1000'],
    ['half a token', ['run', 'x', ...base, '--max-tokens', '1.5'], 'whole number'],
    ['too hot', ['run', 'x', ...base, '--temperature', '3'], 'from 0 to 2'],
    ['an empty number', ['run', 'x', ...base, '--temperature', ''], 'from 0 to 2'],
    ['no time', ['run', 'x', ...base, '--timeout', '0'], 'from 0.001'],
    ['an unknown tool', ['run', 'x', ...base, '--tool', 'rm'], 'list_files, read_file'],
    ['tools and none', ['run', 'x', ...base, '--tool', 'calculate', '--no-tools'], 'exclude each other'],
    ['two kinds of stdout', ['run', 'x', ...base, '--json', '--quiet'], 'exclude each other'],
    ['a base URL that is none', ['run', 'x', ...base, '--base-url', 'localhost'], 'http(s) URL'],
    ['inspect without a file', ['inspect'], "missing required argument 'file'"],
    ['an impossible round', ['inspect', 'x', '--round', '0'], 'whole number'],
    ['a demo of nobody', ['demo', '--provider', 'acme'], 'openai, anthropic'],
  ])('%s: exit code 2, nothing on stdout, and a reason', async (_, args, reason) => {
    const { stdout, stderr, exitCode } = await glassloop(args, {
      cwd: await tempFolder(),
      env: { OPENAI_API_KEY: KEY },
    });
    expect(stdout).toBe('');
    expect(stderr).toContain(reason);
    expect(stderr).not.toMatch(/\n {4}at /);
    expect(exitCode).toBe(2);
  });
});

describe('a missing key', () => {
  test.each([
    ['openai', 'OPENAI_API_KEY'],
    ['anthropic', 'ANTHROPIC_API_KEY'],
    ['google', 'GEMINI_API_KEY'],
    ['mistral', 'MISTRAL_API_KEY'],
    ['groq', 'GROQ_API_KEY'],
    ['openrouter', 'OPENROUTER_API_KEY'],
  ])('%s: says which variable, and that the demo needs none', async (provider, variable) => {
    const { stdout, stderr, exitCode } = await glassloop(
      ['run', 'x', '--provider', provider, '--model', 'm'],
      { cwd: await tempFolder() },
    );
    expect({ stdout, exitCode }).toEqual({ stdout: '', exitCode: 1 });
    expect(stderr).toContain(`${variable} is not set`);
    expect(stderr).toContain('glassloop demo');
  });

  test('as one JSON document', async () => {
    const { stdout, exitCode } = await glassloop(
      ['run', 'x', '--provider', 'openai', '--model', 'm', '--json'],
      { cwd: await tempFolder() },
    );
    expect(exitCode).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'auth', message: expect.stringContaining('OPENAI_API_KEY') },
    });
  });
});
