import { describe, expect, it } from 'vitest';
import { redactTrace, toHar, toJson, toMarkdown, toOpenInference, toOtlp } from '../src/index.ts';
import { recordedRun } from './recorded-run.ts';

const body = 'q7Zx9Kd2Lm4Np6Rt8Vw1Yb3';
/** One in each place, each of another kind; built from parts, so that no scanner takes this file for a leak. */
const PLANTED: { readonly [place: string]: string } = {
  'system prompt': `sk-ant-api03-${body}A`,
  question: `ghp_${body}B`,
  'tool description': `xoxb-1234567890-${body}C`,
  answer: ` Authorization: Bearer ${body}D `,
  key: `gsk_${body}E`,
  result: `postgres://app:${body}F@db/x`,
  thrown: `AIza${body}${body}G`.slice(0, 39),
  option: `sk-proj-${body}H`,
  id: `github_pat_${body}I`,
};
const configured = 'plain-looking-value';

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('secrets planted in nine places, %s', (_, streams) => {
  it.each(['secrets', 'content'] as const)('are in no output at level %s', async (level) => {
    const run = await recordedRun({ streams, canary: (place) => `${PLANTED[place] ?? ''} ${configured}` });
    for (const planted of Object.values(PLANTED))
      expect(run.text).toContain(JSON.stringify(planted.trim()).slice(1, -1));
    const options = { level, secrets: [configured], content: true };
    const outputs = {
      redacted: redactTrace(run.steps, options),
      otlp: toOtlp(run, options),
      openinference: toOpenInference(run, options),
      har: toHar(run, options),
      markdown: toMarkdown(run, options),
      json: toJson(run, options),
    };
    for (const [form, output] of Object.entries(outputs)) {
      const text = typeof output === 'string' ? output : JSON.stringify(output);
      expect(text.includes(body), form).toBe(false);
      expect(text.includes(configured), form).toBe(false);
      expect(text.length, form).toBeGreaterThan(500);
    }
  });
});
