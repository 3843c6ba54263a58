/** What holds for whatever a caller, a model, a tool or a disk brings: found by chance, not by example. */

import { AdapterError, ToolCallFold, withIds } from '@glassloop/core/adapter';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseArguments, replayedArgumentsText } from '../src/adapter/arguments.ts';
import { InlineThinkingStream, splitInlineThinking } from '../src/adapter/inline-thinking.ts';
import { rewriteSchema } from '../src/adapter/rewrite-schema.ts';
import {
  ChatCompletionFold,
  completionIn,
  type Dialect,
  fromResponse,
  toRequest,
} from '../src/chat-completions/index.ts';
import { deepFreeze } from '../src/freeze.ts';
import {
  defineTool,
  type Message,
  messagesSent,
  type Run,
  RunError,
  RunTrace,
  runLoop,
  type Skill,
  type Snippet,
} from '../src/index.ts';
import { resultText } from '../src/result-text.ts';
import { boundedResult } from '../src/text.ts';
import { decodeTrace, encodeStep, encodeTraceHeader } from '../src/trace-file.ts';
import { type Answer, scripted } from './scripted-adapter.ts';

/** Every character there is, lone surrogates and control characters included. */
const text = fc.string({ unit: fc.nat(0xffff).map((unit) => String.fromCharCode(unit)) });
const readable = fc.string({ unit: 'grapheme' });
const dialect: Dialect = { name: 'x', maxTokensField: () => 'max_tokens' };
const json = fc.jsonValue() as fc.Arbitrary<unknown>;
const object = fc.dictionary(fc.string(), json, { noNullPrototype: true });

/** The text in pieces, cut wherever chance has it. */
const inPieces = (whole: fc.Arbitrary<string>) =>
  fc.tuple(whole, fc.array(fc.nat(100))).map(([written, cuts]) => {
    const pieces: string[] = [];
    let rest = written;
    for (const cut of cuts) {
      pieces.push(rest.slice(0, cut));
      rest = rest.slice(cut);
    }
    return { written, pieces: [...pieces, rest] };
  });

describe('arguments', () => {
  it('of any object come back as they were, without what pollutes', () => {
    fc.assert(
      fc.property(object, fc.constantFrom('', ' ', '\n\t'), (value, blank) => {
        const written = JSON.stringify(value);
        expect(parseArguments(blank + written + blank)).toEqual(
          JSON.parse(written, (key, inner) => (key === '__proto__' ? undefined : inner)),
        );
      }),
    );
  });

  it('of any text are an object or nothing, and go back as an object', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          json.map((value) => JSON.stringify(value)),
        ),
        (written) => {
          const parsed = parseArguments(written);
          if (parsed !== undefined) expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
          expect(JSON.parse(replayedArgumentsText(written))).toBeTypeOf('object');
          expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
        },
      ),
    );
  });
});

describe('folding', () => {
  const fragment = fc.record(
    {
      index: fc.option(fc.nat(3)),
      id: fc.option(fc.constantFrom('', 'a', 'b', 'null')),
      name: fc.option(fc.constantFrom('', 'get', 'time')),
      arguments: fc.option(fc.oneof(fc.constantFrom('', '{', '}', '{}'), json)),
    },
    { requiredKeys: [] },
  );

  it('of any fragments gives calls with ids of their own, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fragment), (fragments) => {
        const fold = new ToolCallFold();
        for (const one of fragments) fold.add(one);
        const ids = fold.calls().map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        for (const id of ids) expect(id).not.toBe('');
      }),
    );
  });

  it('puts calls together whatever the cuts, and however they are mixed', () => {
    const calls = fc.array(inPieces(object.map((value) => JSON.stringify(value))), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(calls, fc.infiniteStream(fc.nat(3)), (wanted, order) => {
        const fold = new ToolCallFold();
        for (const index of wanted.keys()) fold.add({ index, id: `call${index}`, name: 'f' });
        const queues = wanted.map(({ pieces }) => [...pieces]);
        while (queues.some((queue) => queue.length > 0)) {
          const index = order.next().value % queues.length;
          const piece = queues[index]!.shift();
          if (piece !== undefined) fold.add({ index, arguments: piece });
        }
        expect(fold.calls().map(({ argumentsJson }) => argumentsJson)).toEqual(
          wanted.map(({ written }) => written),
        );
      }),
    );
  });

  it('gives any ids an id of their own, and keeps the first of each', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom('a', 'b', ''), fc.anything())), (ids) => {
        const given = withIds(ids.map((id) => ({ id, name: 'f', argumentsJson: '{}' }))).map(({ id }) => id);
        expect(new Set(given).size).toBe(ids.length);
        expect(given.indexOf('a')).toBe(ids.indexOf('a'));
      }),
    );
  });

  it('of a stream of anything never throws, nor does reading what it gives', () => {
    const event = fc.record(
      {
        choices: fc.array(
          fc.record(
            {
              index: fc.option(fc.nat(1)),
              delta: fc.oneof(
                json,
                fc.record(
                  {
                    content: json,
                    reasoning: json,
                    refusal: json,
                    tool_calls: fc.array(json),
                    function_call: json,
                  },
                  { requiredKeys: [] },
                ),
              ),
              finish_reason: json,
            },
            { requiredKeys: [] },
          ),
        ),
        usage: json,
        model: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(event, json)), (events) => {
        const fold = new ChatCompletionFold(dialect, () => {});
        for (const one of events) fold.add(one);
        const body = fold.body();
        if (body !== undefined) wellMade(fromResponse(dialect, body, { streamed: true, warnings: [] }));
      }),
    );
  });

  it('of a whole body that may be anything gives an answer, or an AdapterError', () => {
    const body = fc.record(
      {
        choices: fc.oneof(json, fc.array(fc.record({ message: json, finish_reason: json }))),
        usage: json,
        error: json,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(body, json), (value) => {
        let checked: ReturnType<typeof completionIn>;
        try {
          checked = completionIn('x', value, []);
        } catch (error) {
          expect(error).toBeInstanceOf(AdapterError);
          return;
        }
        wellMade(fromResponse(dialect, checked, { streamed: false, warnings: [] }));
      }),
    );
  });

  function wellMade({ message, usage }: ReturnType<typeof fromResponse>): void {
    expect(message.content).toBeTypeOf('string');
    for (const call of message.toolCalls) {
      for (const part of [call.id, call.name, call.argumentsJson]) expect(part).toBeTypeOf('string');
      expect(call.id).not.toBe('');
    }
    for (const value of Object.values(usage)) expect(value).toBeGreaterThanOrEqual(0);
  }

  it('tells thinking apart the same way, whatever the cuts', () => {
    const tagged = fc
      .array(fc.constantFrom('<think>', '</think>', '<', 'th', '</', 'ink>', 'answer', ' ', '\n', '<THINK>'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(inPieces(tagged), ({ written, pieces }) => {
        const told = (given: readonly string[]) => {
          const seen = { text: '', thinking: '' };
          const stream = new InlineThinkingStream((kind, piece) => {
            seen[kind] += piece;
          });
          for (const piece of given) stream.push(piece);
          stream.end();
          return seen;
        };
        expect(told(pieces)).toEqual(told([written]));
      }),
    );
  });
});

describe('inline thinking', () => {
  it('leaves no tag in the answer', () => {
    // Whole tags only: what stood around a block may look like one once the block is gone, and is text.
    const written = fc.array(fc.constantFrom('<think>', '</think>', '<THINK>', 'answer', ' ', '\n'));
    fc.assert(
      fc.property(written, (parts) => {
        expect(splitInlineThinking(parts.join('')).content).not.toMatch(/<\/?think>/i);
      }),
    );
  });
});

describe('mapping', () => {
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({ role: fc.constant('system' as const), content: text }),
    fc.record({ role: fc.constant('user' as const), content: text }),
    fc.record({
      role: fc.constant('user' as const),
      content: fc.array(fc.record({ type: fc.constant('text' as const), text })),
    }),
    fc.record({
      role: fc.constant('assistant' as const),
      content: text,
      toolCalls: fc.array(fc.record({ id: text, name: text, argumentsJson: text }), { maxLength: 3 }),
    }),
    fc.record({
      role: fc.constant('tool' as const),
      toolCallId: text,
      toolName: text,
      content: text,
      isError: fc.boolean(),
    }),
  );

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

/** A model, tools and limits that may do anything. */
const answer: fc.Arbitrary<Answer> = fc.oneof(
  fc.record({ text }),
  fc.record({
    text,
    calls: fc.array(
      fc.record({
        id: fc.constantFrom('a', 'b', 'c'),
        name: fc.constantFrom('good', 'throws', 'odd', 'unknown', ''),
        args: fc.oneof(object, text),
      }),
      { minLength: 1, maxLength: 4 },
    ),
    finishReason: fc.constantFrom('tool_calls' as const, 'length' as const, 'other' as const),
  }),
  fc.constantFrom('auth' as const, 'network' as const, 'bad_response' as const).map((code) => () => {
    throw new AdapterError(code, 'by chance');
  }),
);
const limits = fc.record(
  {
    totalTokens: fc.integer({ min: 1, max: 60 }),
    toolCalls: fc.integer({ min: 1, max: 5 }),
    repeats: fc.integer({ min: 1, max: 3 }),
  },
  { requiredKeys: [] },
);

async function anyRun(answers: readonly Answer[], settings: Partial<Run>, trace?: RunTrace) {
  const tools = [
    defineTool({ name: 'good', description: 'g', execute: (input) => JSON.stringify(input) }),
    defineTool({
      name: 'throws',
      description: 't',
      execute: () => {
        throw new Error('no');
      },
    }),
    defineTool({ name: 'odd', description: 'o', execute: () => undefined as never }),
  ];
  return runLoop(
    {
      adapter: scripted(answers),
      messages: [{ role: 'user', content: 'Go on.' }],
      tools,
      retry: { baseDelayMs: 1, maxRetries: 1 },
      ...settings,
    },
    trace,
  ).catch((error: unknown) => error as RunError);
}
const settings = fc.record({ maxRounds: fc.integer({ min: 1, max: 4 }), limits });

describe('a run', () => {
  it('with any model ends with a named reason, and every call has its result', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 6 }), settings, async (answers, given) => {
        const trace = new RunTrace();
        const outcome = await anyRun(answers, given, trace);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(RunError);
        const { messages } = outcome instanceof RunError ? outcome.result : outcome;
        const asked = messages.flatMap((one) =>
          one.role === 'assistant' ? one.toolCalls.map(({ id }) => id) : [],
        );
        const told = messages.flatMap((one) => (one.role === 'tool' ? [one.toolCallId] : []));
        expect(told).toEqual(asked);
        expect(new Set(asked).size).toBe(asked.length);
        const { steps } = trace;
        expect(steps.filter(({ kind }) => kind === 'end')).toHaveLength(1);
        expect(steps.at(-1)).toMatchObject({
          kind: 'end',
          stopReason: outcome instanceof RunError ? 'failed' : outcome.stopReason,
        });
        const sent = messagesSent(steps, 1);
        expect(sent[0]).toBe(messages[0]);
      }),
      { numRuns: 150 },
    );
  });
});

describe('a trace file', () => {
  const file = fc.array(answer, { minLength: 1, maxLength: 4 });
  async function written(answers: readonly Answer[]) {
    const trace = new RunTrace();
    await anyRun(answers, { maxRounds: 2 }, trace);
    const header = encodeTraceHeader({ id: 'x', startedAt: '2026-01-01T00:00:00Z', capturesRaw: false });
    return {
      steps: trace.steps,
      lines: header + trace.steps.map((step, at) => encodeStep(step, at + 1)).join(''),
    };
  }

  it('of any run gives its steps back', async () => {
    await fc.assert(
      fc.asyncProperty(file, async (answers) => {
        const { steps, lines } = await written(answers);
        const { steps: read, problems } = decodeTrace(lines);
        expect(problems).toEqual([]);
        expect(JSON.stringify(read)).toBe(JSON.stringify(steps));
      }),
      { numRuns: 100 },
    );
  });

  it('that was cut anywhere gives the steps before the cut, and says that it was', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.double({ min: 0, max: 0.999, noNaN: true }), async (answers, share) => {
        const { steps, lines } = await written(answers);
        const cut = lines.slice(0, Math.floor(lines.length * share));
        const { steps: read, problems } = decodeTrace(cut);
        expect(JSON.stringify(read)).toBe(JSON.stringify(steps.slice(0, read.length)));
        // The last line may lack no more than its line break.
        if (read.length < steps.length) expect(problems.length).toBeGreaterThan(0);
      }),
      { numRuns: 100 },
    );
  });

  it('that was damaged anywhere, or never was one, is read without a throw', async () => {
    await fc.assert(
      fc.asyncProperty(file, fc.nat(), text, async (answers, at, damage) => {
        const { lines } = await written(answers);
        const place = at % lines.length;
        decodeTrace(lines.slice(0, place) + damage + lines.slice(place + damage.length));
        decodeTrace(damage);
      }),
      { numRuns: 100 },
    );
    fc.assert(
      fc.property(fc.array(json), (values) => {
        decodeTrace(values.map((step) => JSON.stringify({ type: 'step', seq: 1, step })).join('\n'));
        decodeTrace(values.map((value) => JSON.stringify(value)).join('\n'));
      }),
    );
  });
});
