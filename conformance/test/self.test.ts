import type { ModelRequest } from '@glassloop/core/adapter';
import { openaiChat, openrouterChat } from '@glassloop/simulator';
import { expect, test } from 'vitest';
import { type CaseId, type CaseResult, describeAdapter, runCases } from '../src/index.ts';
import { reference } from './reference-adapter.ts';
import { toBody } from './reference-request.ts';
import subject from './reference-subject.ts';

const { create } = subject;

describeAdapter('the reference adapter', subject);

// What openaiChat cannot say, or the reference adapter does not lack, is shown to be passable by two variants.
const elsewhere: CaseId[] = [
  'thinking.native',
  'thinking.with-calls',
  'thinking.state',
  'thinking.edited-turn',
  'usage.cache-write',
  'usage.cost',
];
const lacking: CaseId[] = [
  'options.images-refused',
  'options.streaming-refused',
  'options.thinking-warned',
  'options.tool-choice-warned',
  'usage.no-cost',
];

test('the reference adapter passes the cases of a wire format that says more', async () => {
  const results = await runCases(
    { wire: openrouterChat, create },
    { only: (one) => elsewhere.includes(one.id.replace('.streamed', '') as CaseId) },
  );
  expect(results.map(outcome)).toEqual(results.map(({ id }) => `${id}: pass`));
  expect(results.length).toBe(elsewhere.length * 2);
});

test('an adapter that can less, and says so, passes the cases for it', async () => {
  const results = await runCases(
    { wire: openaiChat, create: (settings) => reference({ model: 'test-model', ...settings }, MODEST) },
    { only: (one) => lacking.includes(one.id) },
  );
  expect(results.map(outcome)).toEqual(results.map(({ id }) => `${id}: pass`));
  expect(results.length).toBe(lacking.length);
});

const MODEST = {
  capabilities: {
    streaming: false,
    parallelToolCalls: false,
    requiredToolChoice: false,
    thinking: false,
    images: false,
    cost: false,
  },
  toBody(model: string, request: ModelRequest, adapter: string) {
    const { thinking, toolChoice, ...options } = request.options;
    const warnings = [
      ...(thinking === undefined ? [] : ['thinking is not sent: this model has none.']),
      ...(toolChoice === undefined ? [] : ['toolChoice is not sent: this provider does not obey it.']),
    ];
    return { body: toBody(model, { ...request, options }, adapter).body, warnings };
  },
};

function outcome({ id, outcome, reason, error }: CaseResult): string {
  const why = reason ?? (error instanceof Error ? error.message : '');
  return `${id}: ${outcome}${why === '' ? '' : ` (${why})`}`;
}
