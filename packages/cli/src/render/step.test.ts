import type { EndStep, RunStep } from '@glassloop/core';
import { describe, expect, test } from 'vitest';
import { StepPrinter, stepLines, type View } from './step.ts';
import { colourStyle, plainStyle } from './style.ts';

const line: View = { style: plainStyle, detail: 'line' };
const texts: View = { style: plainStyle, detail: 'texts' };

const assembled: RunStep = {
  kind: 'assembled',
  round: 0,
  at: 0,
  settings: {
    adapter: 'openai',
    model: 'gpt-x',
    options: {},
    maxRounds: 5,
    limits: { repeats: 5 },
    retry: { maxRetries: 2, baseDelayMs: 500, maxDelayMs: 60_000 },
    toolConcurrency: 8,
    toolTimeoutMs: 120_000,
  },
  added: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How long is the file?' },
  ],
  sources: [
    { kind: 'configuration', message: 0, bytes: 9 },
    {
      kind: 'skill',
      id: 'triage',
      name: 'Triage',
      message: 1,
      range: [0, 4],
      bytes: 4,
      origin: { file: 'skills/triage.md', fromLine: 3, toLine: 9 },
    },
  ],
  dropped: [{ kind: 'skill', id: 'old', reason: 'checksum_mismatch', detail: 'It was changed.' }],
  tools: [{ name: 'read_file', description: '', parameters: {} }],
  warnings: ['temperature is not sent'],
};
const request: RunStep = {
  kind: 'request',
  round: 1,
  at: 0,
  added: [],
  sent: [[0, 2]],
  toolsOffered: ['read_file'],
  attempt: 1,
};
const response: RunStep = {
  kind: 'response',
  round: 1,
  at: 0,
  durationMs: 1234,
  message: {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c1', name: 'read_file', argumentsJson: '{"path":"a"}' }],
  },
  thinking: 'It must be read.',
  finishReason: 'tool_calls',
  usage: { promptTokens: 10, completionTokens: 0, totalTokens: 10, estimatedCost: 0 },
};
const tool: RunStep = {
  kind: 'tool',
  round: 1,
  at: 0,
  durationMs: 3,
  call: { id: 'c1', name: 'read_file', argumentsJson: '{"path":"a"}' },
  result: 'twelve\nlines',
  isError: false,
};

function end(facts: Partial<EndStep> & Pick<EndStep, 'stopReason'>): RunStep {
  return { kind: 'end', round: 1, at: 0, durationMs: 10, rounds: 1, usage: {}, unpricedRounds: 1, ...facts };
}

describe('one line per step', () => {
  test('assembled names tools, what was left out, and what will be sent differently', () => {
    expect(stepLines(assembled, line)).toEqual([
      'assembled  2 messages · 1 tool offered',
      '           left out: skill old, checksum mismatch: It was changed.',
      '           note: temperature is not sent',
    ]);
  });

  test('request, response and tool', () => {
    const printer = new StepPrinter(line);
    expect([request, response, tool].flatMap((step) => printer.lines(step))).toEqual([
      'round 1',
      '  request  2 messages · 1 tool offered',
      '  response 1.2 s · asks for 1 call · 10 → 0 tokens · $0',
      '  tool     read_file {"path":"a"} → 12 B in 3 ms',
    ]);
  });

  test('a failed tool says why, and what it threw', () => {
    expect(
      stepLines({ ...tool, isError: true, result: 'It failed.', thrown: 'Error: secret reason' }, line),
    ).toEqual([
      '  tool     read_file {"path":"a"} → error in 3 ms: It failed.',
      '           threw Error: secret reason',
    ]);
  });

  test('a failed attempt says when the next one starts', () => {
    const error: RunStep = {
      kind: 'error',
      round: 2,
      at: 0,
      durationMs: 5,
      code: 'rate_limited',
      message: 'openai (HTTP 429): slow down',
      hint: 'Wait.',
      retryInMs: 500,
    };
    expect(stepLines(error, line)).toEqual([
      '  error    rate_limited after 5 ms: openai (HTTP 429): slow down · tries again in 500 ms',
    ]);
    const { retryInMs: _, ...last } = error;
    expect(stepLines(last, line)).toEqual([
      '  error    rate_limited after 5 ms: openai (HTTP 429): slow down',
      '           Wait.',
    ]);
  });

  test('calls of a cut answer are said not to be run', () => {
    expect(
      stepLines({ ...response, finishReason: 'length', rawFinishReason: 'max_tokens' }, line)[0],
    ).toContain('length (max_tokens), 1 call not run');
  });
});

describe('with texts', () => {
  test('assembled shows every message with its sources', () => {
    expect(stepLines(assembled, texts).slice(1, 8)).toEqual([
      '           #0 system',
      '              from configuration: 9 B',
      '              Be brief.',
      '           #1 user',
      '              from skill triage, Triage: 4 B, characters 0 to 4, skills/triage.md:3-9',
      '              How long is the file?',
      '           left out: skill old, checksum mismatch: It was changed.',
    ]);
  });

  test('response shows thinking, calls and all counts', () => {
    expect(stepLines(response, texts).slice(1)).toEqual([
      '           tokens 10: prompt 10 (cached unknown), completion 0 (reasoning unknown)',
      '           thinking',
      '             It must be read.',
      '           call read_file {"path":"a"} c1',
    ]);
  });

  test('messages are numbered over the whole run', () => {
    const printer = new StepPrinter(texts);
    for (const step of [assembled, request, response, tool]) printer.lines(step);
    const added = {
      role: 'tool',
      toolCallId: 'c1',
      toolName: 'read_file',
      content: 'x',
      isError: true,
    } as const;
    expect(printer.lines({ ...request, round: 2, added: [added], sent: [[0, 3]] })).toEqual([
      'round 2',
      '  request  3 messages, 1 new · 1 tool offered',
      '           #2 tool: error of read_file c1, 1 B',
    ]);
  });

  test('raw bodies appear when asked for, and their absence is said', () => {
    expect(stepLines({ ...response, raw: { id: 'r' } }, { ...line, raw: true }).slice(1)).toEqual([
      '           raw',
      '             {',
      '               "id": "r"',
      '             }',
    ]);
    expect(stepLines(response, { ...line, raw: true }).at(-1)).toBe('           raw: not captured');
  });
});

describe('C129 every way to end has its own label', () => {
  const label = (step: RunStep): string => stepLines(step, line).join('\n');

  test('C129 ended by length, by the round cap, aborted, by an error in round 2', () => {
    const labels = (
      [
        'completed',
        'length',
        'round_limit',
        'limit',
        'repeat',
        'content_filter',
        'incomplete',
        'dry_run',
        'failed',
        'aborted',
      ] as const
    ).map((stopReason) => label(end({ stopReason })).split('\n')[0]!);
    expect(new Set(labels).size).toBe(labels.length);
    expect(label(end({ stopReason: 'length' }))).toContain('cut at the output limit');
    expect(label(end({ stopReason: 'round_limit' }))).toContain('all rounds were used');
    expect(label(end({ stopReason: 'aborted', detail: 'Interrupted by Ctrl+C.' }))).toMatch(
      /aborted\n.*Interrupted/,
    );
    expect(label(end({ stopReason: 'failed', detail: 'openai (HTTP 500): down', rounds: 1 }))).toContain(
      'openai (HTTP 500): down',
    );
  });

  test('C129 0 is printed as 0, unknown as unknown', () => {
    const zero = label(
      end({
        stopReason: 'completed',
        usage: {
          promptTokens: 0,
          completionTokens: 0,
          totalTokens: 0,
          cacheReadTokens: 0,
          reasoningTokens: 0,
          estimatedCost: 0,
        },
        unpricedRounds: 0,
      }),
    );
    expect(zero).toContain('tokens   0: prompt 0 (cached 0), completion 0 (reasoning 0)');
    expect(zero).toContain('cost     $0');
    const unknown = label(end({ stopReason: 'completed' }));
    expect(unknown).toContain(
      'tokens   unknown: prompt unknown (cached unknown), completion unknown (reasoning unknown)',
    );
    expect(unknown).toContain('cost     unknown');
  });

  test('C129 a partly known cost is a lower bound, and so are partly known tokens', () => {
    expect(label(end({ stopReason: 'completed', usage: { estimatedCost: 0.0123 }, rounds: 2 }))).toContain(
      'at least $0.0123: the cost of 1 answer is unknown',
    );
    const printer = new StepPrinter(line);
    printer.lines({ ...response, usage: {} });
    expect(printer.lines(end({ stopReason: 'completed', usage: { promptTokens: 5 } })).join('\n')).toContain(
      '1 answer came without counts',
    );
  });

  test('a reason of a newer version is shown as one', () => {
    expect(label(end({ stopReason: 'bored' as 'limit' }))).toContain(
      'bored: this version of glassloop does not know',
    );
  });
});

describe('C123 foreign text is safe to print', () => {
  const evil = 'a\u0000b\u001b[31m\u001b]0;t\u0007\rX\u009b2J\u202eevil\u200b\u{e0041}\ud83d';
  const steps: RunStep[] = [
    {
      ...assembled,
      added: [
        {
          role: 'user',
          content: [
            { type: 'text', text: evil },
            { type: 'image', data: evil, mediaType: evil },
          ],
        },
      ],
      warnings: [evil],
      dropped: [{ kind: 'tool', id: evil, reason: 'not_found', detail: evil }],
    },
    {
      ...response,
      thinking: evil,
      model: evil,
      rawFinishReason: evil,
      finishReason: 'other',
      warnings: [evil],
      raw: { [evil]: evil },
      message: {
        role: 'assistant',
        content: evil,
        toolCalls: [{ id: evil, name: evil, argumentsJson: evil }],
        providerState: { [evil]: 1 },
      },
    },
    { ...tool, result: evil, call: { id: evil, name: evil, argumentsJson: evil }, thrown: evil },
    {
      ...request,
      added: [{ role: 'tool', toolCallId: evil, toolName: evil, content: evil, isError: false }],
    },
    {
      kind: 'error',
      round: 1,
      at: 0,
      durationMs: 1,
      code: 'network',
      message: evil,
      hint: evil,
      requestId: evil,
      partial: evil,
      raw: evil,
    },
    end({ stopReason: 'failed', detail: evil }),
  ];

  test.each(steps.map((step) => [step.kind, step] as const))('C123 %s', (_, step) => {
    for (const detail of ['line', 'texts', 'whole'] as const) {
      const printed = stepLines(step, { style: plainStyle, detail, raw: true }).join('\n');
      // biome-ignore lint/suspicious/noControlCharactersInRegex: that none is there is what is tested.
      expect(printed).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u200b]/);
      expect(printed).not.toMatch(/\p{Surrogate}|\u{e0041}/u);
    }
  });

  test('C123 it is shown, not lost', () => {
    expect(stepLines({ ...tool, result: 'x\u0000y\u001b[31m' }, texts)[1]).toBe(
      '             x\\x00y\\x1b[31m',
    );
  });
});

test('long texts are shortened and their size is said; whole shows all', () => {
  const long = { ...tool, result: Array.from({ length: 50 }, (_, at) => `line ${at}`).join('\n') };
  expect(stepLines(long, texts)).toHaveLength(1 + 12 + 1);
  expect(stepLines(long, texts).at(-1)).toContain('… 389 B in all');
  expect(stepLines(long, { ...texts, detail: 'whole' })).toHaveLength(51);
});

test('colours are put around words, and only by the colour style', () => {
  expect(stepLines(end({ stopReason: 'failed' }), { style: colourStyle, detail: 'line' })[0]).toContain(
    '\u001b[31mfailed\u001b[39m',
  );
});
