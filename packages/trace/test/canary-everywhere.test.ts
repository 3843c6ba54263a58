import { beforeAll, describe, expect, it } from 'vitest';
import { redactTrace, toHar, toJson, toMarkdown, toOpenInference, toOtlp } from '../src/index.ts';
import { edited, MORE_STEPS, placesIn } from './every-step.ts';
import { type RecordedRun, recordedRun } from './recorded-run.ts';

const CANARY = `sk-proj-${'q7Zx9Kd2Lm4Np6Rt8Vw1Yb3'}`;
const configured = 'plain-looking-value';
/** So many places at a time, far from one another. */
const STRIDE = 6;

describe.each([
  ['whole', false],
  ['streamed', true],
] as const)('a secret in any text of a trace, %s', (_, streams) => {
  let run: RecordedRun;
  beforeAll(async () => {
    run = await recordedRun({ streams });
  });

  it.each([
    ['of known shape', CANARY],
    ['configured', configured],
  ])('%s, is in no output', (_kind, secret) => {
    const steps = [...run.steps.slice(0, -1), ...MORE_STEPS];
    const texts = placesIn(steps).filter((path) => typeof valueAt(steps, path) === 'string');
    const found = new Set<string>();
    for (let first = 0; first < STRIDE; first++) {
      const places = texts.filter((_, at) => at % STRIDE === first);
      const planted = edited(steps, places, (text) => `${text} ${secret}`);
      expect(JSON.stringify(planted).split(secret).length - 1).toBe(places.length);
      const trace = { header: run.header, steps: planted };
      for (const level of ['secrets', 'content'] as const) {
        const options = { level, secrets: [configured], content: true };
        const outputs = {
          redacted: redactTrace(trace.steps, options),
          otlp: toOtlp(trace, options),
          openinference: toOpenInference(trace, options),
          har: toHar(trace, options),
          markdown: toMarkdown(trace, options),
          json: toJson(trace, options),
        };
        for (const [form, output] of Object.entries(outputs)) {
          if (JSON.stringify(output).includes(secret))
            found.add(`${form} ${level}, place ${first} of ${STRIDE}`);
        }
      }
    }
    expect([...found]).toEqual([]);
  });
});

function valueAt(steps: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string | number, unknown>)[key], steps);
}
