import { decodeTrace, encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { diffTraces, toHar, toJson, toMarkdown, toOpenInference, toOtlp } from '../src/index.ts';
import { edited, MORE_STEPS, placesIn } from './every-step.ts';
import { throughSchema } from './otlp-schema.ts';
import { type RecordedRun, recordedRun } from './recorded-run.ts';

describe('a file in which anything stands anywhere', () => {
  let run: RecordedRun;
  beforeAll(async () => {
    run = await recordedRun({ streams: true });
  });

  it('is compared and exported as far as it can be read', () => {
    const whole = [...run.steps.slice(0, -1), ...MORE_STEPS];
    const places = placesIn(whole);
    const header = encodeTraceHeader({ id: 'x', startedAt: '2026-01-01T00:00:00Z', capturesRaw: true });
    fc.assert(
      fc.property(
        fc.nat(places.length - 1),
        fc.constantFrom(null, 7, -1e300, 'x', true, [], [null], {}, { role: 'thought', content: [] }),
        (place, value) => {
          const lines = edited(whole, [places[place]!], () => value).map((step, at) =>
            encodeStep(step, at + 1),
          );
          const { steps } = decodeTrace(header + lines.join(''));
          const trace = { steps };
          throughSchema(toOtlp(trace, { content: true }));
          throughSchema(toOpenInference(trace, { content: true }));
          expect(toHar(trace).log.entries.length).toBeGreaterThan(1);
          expect(toMarkdown(trace).split('\n').length).toBeGreaterThan(20);
          expect(toJson(trace).steps).toHaveLength(steps.length);
          diffTraces(whole, steps);
          expect(diffTraces(steps, steps).same).toBe(true);
        },
      ),
      { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 150) },
    );
  });
});
