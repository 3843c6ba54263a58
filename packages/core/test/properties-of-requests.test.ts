/** What holds for whatever a caller or a tool brings: messages, schemas, results, skills, snippets. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteSchema } from '../src/adapter/rewrite-schema.ts';
import { type Dialect, toRequest } from '../src/chat-completions/index.ts';
import { deepFreeze } from '../src/freeze.ts';
import { type Message, RunTrace, runLoop, type Skill, type Snippet } from '../src/index.ts';
import { resultText } from '../src/result-text.ts';
import { boundedResult } from '../src/text.ts';
import { message, object, readable, text } from './arbitrary.ts';
import { scripted } from './scripted-adapter.ts';

const dialect: Dialect = { name: 'x', maxTokensField: () => 'max_tokens' };

describe('mapping', () => {
  it('changes no request, gives the same for the same', () => {
    fc.assert(
      fc.property(fc.array(message), fc.boolean(), (given, streams) => {
        const messages = deepFreeze(given) as readonly Message[];
        const request = { messages, tools: [], options: {}, ...(streams ? { onDelta: () => {} } : {}) };
        const before = JSON.stringify(messages);
        const body = JSON.stringify(toRequest(dialect, 'm', request).body);
        expect(JSON.stringify(toRequest(dialect, 'm', request).body)).toBe(body);
        expect(JSON.stringify(messages)).toBe(before);
      }),
    );
  });

  it('leaves a schema that no rule touches the very same, and says one sentence per rewrite', () => {
    fc.assert(
      fc.property(object, fc.string(), (schema, keyword) => {
        const frozen = deepFreeze(schema);
        expect(rewriteSchema(frozen, () => 'keep').schema).toBe(frozen);
        const { schema: without, rewrites } = rewriteSchema(frozen, (name) =>
          name === keyword ? 'drop' : 'keep',
        );
        expect(Object.hasOwn(without, keyword)).toBe(false);
        if (Object.hasOwn(frozen, keyword)) expect(rewrites.length).toBeGreaterThan(0);
      }),
    );
  });
});

describe('results', () => {
  it('of anything are text, and never throw', () => {
    fc.assert(
      fc.property(
        fc.anything({
          withBigInt: true,
          withDate: true,
          withMap: true,
          withSet: true,
          withTypedArray: true,
          withSparseArray: true,
        }),
        (value) => {
          expect(resultText(value)).toBeTypeOf('string');
        },
      ),
    );
  });

  it('are cut on a character, within their limit, and say so', () => {
    const long = fc
      .tuple(fc.constantFrom('a', 'ü', '完', '🙂', '\ud800'), fc.integer({ min: 12_000, max: 60_000 }), text)
      .map(([unit, times, end]) => unit.repeat(times) + end);
    fc.assert(
      fc.property(long, (written) => {
        const { content, fullBytes } = boundedResult(written);
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000);
        if (fullBytes === undefined) expect(content).toBe(written);
        else expect(content).toContain(`of ${fullBytes} bytes shown]`);
        expect(content.toWellFormed().slice(0, 10_000)).toBe(written.toWellFormed().slice(0, 10_000));
      }),
      { numRuns: 40 },
    );
  });
});

const skill: fc.Arbitrary<Skill> = fc.record(
  {
    id: fc.stringMatching(/^[a-z]{1,3}$/),
    name: readable,
    body: readable,
    trust: fc.constantFrom('untrusted', 'community', 'verified', 'first_party'),
    enabled: fc.boolean(),
  },
  { requiredKeys: ['id', 'name', 'body'] },
);
const snippet: fc.Arbitrary<Snippet> = fc.record(
  { id: fc.stringMatching(/^[a-z]{1,3}$/), name: readable, text: readable, active: fc.boolean() },
  { requiredKeys: ['id', 'name', 'text'] },
);

describe('assembly', () => {
  const prompt = fc.record(
    {
      systemPrompt: readable,
      snippets: fc.array(snippet, { maxLength: 3 }),
      skills: fc.array(skill, { maxLength: 4 }),
      skillPolicy: fc.record({ maxBytes: fc.integer({ min: 1, max: 2000 }) }),
      augmentation: fc.record(
        {
          systemPrompt: readable,
          forcedSkills: fc.array(skill, { maxLength: 2 }),
          forcedSnippets: fc.array(snippet, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: [] },
  );
  const conversation = fc.array(
    fc.record({
      role: fc.constantFrom('user' as const, 'system' as const),
      content: readable.map((said) => `x${said}`),
    }),
    { minLength: 1, maxLength: 4 },
  );

  it('accounts for everything it was given, changes nothing of it, and does the same again', async () => {
    await fc.assert(
      fc.asyncProperty(prompt, conversation, async (parts, messages) => {
        const given = deepFreeze({ ...parts, messages }) as typeof parts & { messages: readonly Message[] };
        const augmentation = { ...given.augmentation, dryRun: true };
        const assembled = async () => {
          const trace = new RunTrace({ now: () => 0 });
          await runLoop({ ...given, augmentation, adapter: scripted([{ text: '' }]) }, trace);
          const [step] = trace.steps;
          if (step?.kind !== 'assembled') throw new Error('no assembled step');
          return step;
        };
        const step = await assembled();
        expect(await assembled()).toEqual(step);
        // The caller's messages come last in their order, but for skills in front of one.
        const end = step.added.slice(-messages.length);
        expect(end.map(({ role }) => role)).toEqual(messages.map(({ role }) => role));
        for (const [at, { content }] of messages.entries())
          expect(JSON.stringify(end[at]!.content)).toContain(JSON.stringify(content).slice(1, -1));
        // Each source is a stretch of what is sent.
        for (const source of step.sources) {
          const target = step.added[source.message]?.content;
          const written = typeof target === 'string' ? target : '';
          const [from, to] = source.range ?? [0, written.length];
          expect(from).toBeLessThanOrEqual(to);
          if (source.part === undefined) {
            expect(to).toBeLessThanOrEqual(written.length);
            expect(Buffer.byteLength(written.slice(from, to))).toBe(source.bytes);
          }
        }
        // What was asked for was used, or left out for a reason.
        const accounted = (kind: string) =>
          new Set([...step.sources, ...step.dropped].filter((one) => one.kind === kind).map(({ id }) => id));
        const skills = [...(given.skills ?? []), ...(given.augmentation?.forcedSkills ?? [])];
        for (const { id } of skills) expect([...accounted('skill')]).toContain(id);
        const snippets = [...(given.snippets ?? []), ...(given.augmentation?.forcedSnippets ?? [])];
        for (const { id } of snippets) expect([...accounted('snippet')]).toContain(id);
      }),
      { numRuns: 200 },
    );
  });
});
