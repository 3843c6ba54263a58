import type { RunStep } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import { redactTrace } from './redact-trace.ts';

/** Built from parts, so that no scanner takes this file for a leak. */
const long = 'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5';
const SECRETS: readonly [name: string, text: string, secret: string][] = [
  ['OpenAI', `sk-${long}`, `sk-${long}`],
  ['OpenAI project', `sk-proj-${long}_x-${long}`, long],
  ['Anthropic', `key=sk-ant-api03-${long}`, long],
  ['OpenRouter', `sk-or-v1-${long}`, long],
  ['Google', `AIza${long.slice(0, 35)}`, long.slice(0, 35)],
  ['Groq', `gsk_${long}`, long],
  ['GitHub', `ghp_${long}`, long],
  ['GitHub fine-grained', `github_pat_${long}`, long],
  ['AWS id', 'AKIAIOSFODNN7EXAMPLE', 'AKIAIOSFODNN7EXAMPLE'],
  ['AWS secret', `aws_secret_access_key = ${long}ABCD`, long],
  ['Slack', `xoxb-123456789012-${long}`, long],
  ['Slack webhook', `https://hooks.slack.com/services/T0000/B0000/${long}`, long],
  ['JWT', `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.${long}`, 'eyJzdWIi'],
  ['bearer', `Authorization: Bearer ${long}`, long],
  ['bearer in JSON', `{"authorization":"Bearer ${long}"}`, long],
  ['bearer in JSON in JSON', `{\\"Authorization\\":\\"Bearer ${long}\\"}`, long],
  ['basic', 'curl -H "authorization: Basic dXNlcjpodW50ZXIy"', 'dXNlcjpodW50ZXIy'],
  ['basic alone', 'Basic dXNlcjpodW50ZXIy', 'dXNlcjpodW50ZXIy'],
  ['URL', 'postgres://app:hunter2@db.local:5432/x', 'hunter2'],
  ['query', `https://x.test/v1?alt=sse&key=${long}`, long],
  ['signed URL', `https://b.test/o?X-Amz-Signature=${long}&x=1`, long],
  ['private key', `-----BEGIN RSA PRIVATE KEY-----\nMIIE${long}\n-----END RSA PRIVATE KEY-----`, long],
  ['private key, cut', `-----BEGIN PRIVATE KEY-----\\nMIIE${long}`, long],
  ['env file', `MISTRAL_API_KEY=${long}`, long],
  ['password', 'password: "correct-horse"', 'correct-horse'],
];
const tool = (result: string): RunStep => ({
  kind: 'tool',
  round: 1,
  at: 1,
  durationMs: 1,
  call: { id: 'c1', name: 'look', argumentsJson: '{}' },
  result,
  isError: false,
});

describe('redactTrace', () => {
  it.each(SECRETS)('blacks out: %s', (_, text, secret) => {
    const shown = JSON.stringify(redactTrace(tool(`before ${text} after`)));
    expect(shown).not.toContain(secret);
    expect(shown).toContain('[redacted]');
    expect(shown).toContain('before ');
  });

  it.each([
    'The basic understanding of bearer bonds is that tokens are task-management-related-things.',
    'max_tokens: 1024, "promptTokens": 55, see https://example.com/a?page=2&sort=name',
    'skills such as disk-partitioning and risk-assessment-of-projects',
    'a1b2c3d4-e5f6-7890-abcd-ef1234567890 3fa85f6457174562b3fc2c963f66afa6',
  ])('leaves alone: %s', (text) => {
    expect(redactTrace(tool(text))).toEqual(tool(text));
  });

  it('blacks out given values, however they are written', () => {
    const secret = 'p"a/ss wörd';
    const step = tool(`${secret} ${JSON.stringify({ secret })} ${encodeURIComponent(secret)}`);
    const shown = (redactTrace(step, { secrets: [secret] }) as { result: string }).result;
    expect(shown).not.toMatch(/ss ?w|%C3%B6/);
  });

  it('blacks out keys, named fields and pieces of a stream', () => {
    const key = `sk-${long}`;
    const raw = [...key.match(/.{1,4}/g)!].map((text) => ({
      type: 'delta',
      choices: [{ delta: { content: text } }],
    }));
    const step = {
      kind: 'response',
      round: 1,
      at: 1,
      durationMs: 1,
      message: { role: 'assistant', content: '', toolCalls: [] },
      finishReason: 'stop',
      usage: {},
      raw,
      metadata: { [key]: 1, password: 'abc', nested: { cookie: 'x=1' } },
    } as unknown as RunStep;
    const shown = redactTrace(step) as unknown as { raw: typeof raw };
    const said = shown.raw.map(({ choices }) => choices[0]!.delta.content).join('');
    expect(said).toBe('[redacted]');
    expect(JSON.stringify(shown)).not.toMatch(/abc|x=1|aB3d/);
    expect(JSON.stringify(step)).toContain(key);
  });

  it('puts a marker where a redactor fails', () => {
    const redact = (text: string) => {
      if (text.includes('boom')) throw new Error(text);
      return text;
    };
    expect(redactTrace(tool('boom'), { redact })).toMatchObject({
      kind: 'tool',
      result: '[redaction failed]',
    });
    const wrong = redactTrace(tool('text'), { redact: () => undefined as unknown as string });
    expect(JSON.stringify(wrong)).not.toContain('text');
    const hostile = {
      ...tool('x'),
      call: Object.defineProperty({}, 'id', {
        enumerable: true,
        get: () => {
          throw new Error('text');
        },
      }),
    };
    expect(redactTrace(hostile as unknown as RunStep)).toMatchObject({ call: '[redaction failed]' });
  });

  it('keeps the shape and no text at level content', () => {
    const step = {
      ...tool('The result.'),
      call: { id: 'c1', name: 'look', argumentsJson: '{"city":"Oslo","days":3}' },
    };
    expect(redactTrace(step, { level: 'content' })).toEqual({
      ...tool('[11 characters]'),
      call: { id: 'c1', name: 'look', argumentsJson: '{"city":"[4 characters]","days":0}' },
    });
  });

  it('refuses an unknown level, and level none changes nothing', () => {
    expect(() => redactTrace([], { level: 'all' as 'none' })).toThrow(RangeError);
    const step = tool(`sk-${long}`);
    expect(redactTrace(step, { level: 'none' })).toBe(step);
  });

  it('takes a megabyte of anything in reasonable time', () => {
    for (const text of [
      'a',
      '"',
      'sk-',
      'eyJ',
      '-----BEGIN PRIVATE KEY',
      'password=',
      'http://',
      'basic ',
      '?key=',
      ' ',
      'cookie:',
      'aws',
    ]) {
      const startedAt = performance.now();
      redactTrace(tool(text.repeat(1_000_000 / text.length)));
      expect(performance.now() - startedAt, text).toBeLessThan(3000);
    }
  });
});
