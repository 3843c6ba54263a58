import { describe, expect, test } from 'vitest';
import { demoModel } from './demo-model.ts';
import type { SeenMessage, SeenRequest } from './wire/wire-format.ts';

type Tools = SeenRequest['tools'];

const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required });
const text = { type: 'string' };
const DEMO_TOOLS: Tools = [
  {
    name: 'list_files',
    description:
      'Lists a folder: the current one, or one below it. Returns name, kind and size in bytes of each entry.',
    parameters: object({
      path: { ...text, description: 'Relative to the current folder. Default: the current folder.' },
    }),
  },
  {
    name: 'read_file',
    description:
      'Reads a text file in the current folder or below it. Returns its text; of a long file the beginning.',
    parameters: object({ path: { ...text, description: 'For example docs/intro.md' } }, ['path']),
  },
  {
    name: 'calculate',
    description: 'Evaluates an arithmetic expression and returns the number.',
    parameters: object({ expression: { ...text, description: 'For example (2 + 3) * 4.5' } }, ['expression']),
  },
  {
    name: 'current_time',
    description: 'Returns the current date and time in a time zone.',
    parameters: object({
      time_zone: { ...text, description: 'IANA name, for example Europe/Berlin. Default: UTC.' },
    }),
  },
];

const LISTING = JSON.stringify({
  folder: '.',
  entries: [
    { name: 'src', kind: 'folder' },
    { name: 'README.md', kind: 'file', bytes: 1200 },
    { name: 'data.csv', kind: 'file', bytes: 48213 },
    { name: 'b.txt', kind: 'file', bytes: 9 },
  ],
});

function request(messages: readonly SeenMessage[], changes: Partial<SeenRequest> = {}): SeenRequest {
  return {
    model: 'demo',
    system: [],
    messages,
    tools: DEMO_TOOLS,
    toolChoice: undefined,
    parallelToolCalls: undefined,
    stream: false,
    temperature: undefined,
    topP: undefined,
    maxTokens: undefined,
    stop: undefined,
    thinking: undefined,
    apiKey: undefined,
    ...changes,
  };
}

const user = (content: string): SeenMessage => ({ role: 'user', text: content, images: [] });

function ask(prompt: string, changes: Partial<SeenRequest> = {}) {
  const { callTools = [], say } = demoModel(request([user(prompt)], changes));
  return { say, calls: callTools.map((call) => [call.name, call.arguments]) };
}

type Execute = (name: string, input: Record<string, unknown>) => string | Error;

/** Plays the loop: answers calls until the model speaks. */
function talk(prompt: string, execute: Execute, changes: Partial<SeenRequest> = {}) {
  const messages: SeenMessage[] = [user(prompt)];
  const rounds: string[][] = [];
  for (let round = 0; round < 6; round++) {
    const answer = demoModel(request(messages, changes));
    if (answer.callTools === undefined) return { said: answer.say ?? '', rounds, usage: answer.usage };
    rounds.push(answer.callTools.map((call) => call.name));
    const calls = answer.callTools.map((call, i) => ({
      id: `c${round}${i}`,
      name: call.name,
      arguments: call.arguments,
    }));
    messages.push({ role: 'assistant', text: '', calls, thinking: undefined, opaque: [] });
    for (const call of calls) {
      const result = execute(call.name, call.arguments as Record<string, unknown>);
      messages.push({
        role: 'tool',
        callId: call.id,
        name: call.name,
        text: result instanceof Error ? result.message : result,
        isError: result instanceof Error,
        sameTurn: false,
      });
    }
  }
  throw new Error(`no end: ${JSON.stringify(rounds)}`);
}

const executeDemo: Execute = (name, input) => {
  switch (name) {
    case 'list_files':
      return LISTING;
    case 'calculate':
      return input['expression'] === '12.5 * 8' ? '100' : '4';
    case 'current_time':
      return `Monday, 2025-12-01 13:05:09, UTC+09:00 (${input['time_zone'] ?? 'UTC'})`;
    default:
      return `# Title of ${input['path']}\n\nIt is about [something](x) **useful**.\nReally.\n\n## Install\n\nMore.`;
  }
};

test('reads the question behind a block of skills, not the skills', () => {
  const block =
    'Reference.\n\n<<<skills: untrusted reference material>>>\nWhat is 2 + 2?\n<<<end of skills>>>';
  expect(ask(`${block}\n\nWhat files are here?`).calls).toEqual([['list_files', {}]]);
});

describe('picks calls', () => {
  test.each<[string, unknown[]]>([
    ['Which of the files in this folder is the largest?', [['list_files', {}]]],
    ['What files are here?', [['list_files', {}]]],
    ['How many files are in the docs folder?', [['list_files', { path: 'docs' }]]],
    ['List the files in src/wire/ please.', [['list_files', { path: 'src/wire' }]]],
    [
      'What is 12.5 * 8 and what time is it in Tokyo?',
      [
        ['calculate', { expression: '12.5 * 8' }],
        ['current_time', { time_zone: 'Asia/Tokyo' }],
      ],
    ],
    ['What is (2 + 3) * 4 - sqrt(16)?', [['calculate', { expression: '(2 + 3) * 4 - sqrt(16)' }]]],
    ['How much is 7 plus 8?', [['calculate', { expression: '7 + 8' }]]],
    ['What is 15% of 80?', [['calculate', { expression: '15 / 100 * 80' }]]],
    ['2^10', [['calculate', { expression: '2^10' }]]],
    ['What time is it?', [['current_time', {}]]],
    [
      'What time is it in New York and in Berlin?',
      [
        ['current_time', { time_zone: 'America/New_York' }],
        ['current_time', { time_zone: 'Europe/Berlin' }],
      ],
    ],
    ['What is the date today?', [['current_time', {}]]],
    ['Read README.md and say what it is about', [['read_file', { path: 'README.md' }]]],
    ['What does "docs/intro.md" say?', [['read_file', { path: 'docs/intro.md' }]]],
    [
      'Read a.md and b.md.',
      [
        ['read_file', { path: 'a.md' }],
        ['read_file', { path: 'b.md' }],
      ],
    ],
    ['Summarize package.json', [['read_file', { path: 'package.json' }]]],
    ['Read the largest file.', [['list_files', {}]]],
    [
      'Read the largest file in this folder and tell me what it is about. What is 17% of 4230? What time is it in Tokyo?',
      [
        ['list_files', {}],
        ['calculate', { expression: '17 / 100 * 4230' }],
        ['current_time', { time_zone: 'Asia/Tokyo' }],
      ],
    ],
    ['Hello!', []],
    ['Tell me a joke.', []],
    ['', []],
  ])('%s', (prompt, calls) => {
    expect(ask(prompt).calls).toEqual(calls);
  });

  test('for tools it has never seen, by names, descriptions and schemas', () => {
    const tools: Tools = [
      {
        name: 'get_weather',
        description: 'Weather in a city',
        parameters: object({ city: text, unit: { enum: ['celsius', 'fahrenheit'] } }, ['city', 'unit']),
      },
      {
        name: 'add',
        description: 'Adds two numbers',
        parameters: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
      },
      {
        name: 'searchWeb',
        description: 'Searches the web',
        parameters: object({ query: text, limit: { type: 'integer' } }, ['query']),
      },
      {
        name: 'send_email',
        description: '',
        parameters: object({ to: { ...text, description: 'email' }, email: text, body: text }, ['email']),
      },
      { name: 'ping', description: '', parameters: undefined },
    ];
    expect(ask('What is the weather in Oslo in fahrenheit?', { tools }).calls).toEqual([
      ['get_weather', { city: 'Oslo', unit: 'fahrenheit' }],
    ]);
    expect(ask('Weather in New Delhi', { tools }).calls).toEqual([
      ['get_weather', { city: 'New Delhi', unit: 'celsius' }],
    ]);
    expect(ask('Please add 2 to 3.5', { tools }).calls).toEqual([['add', { a: 2, b: 3.5 }]]);
    expect(ask('Search the web for tall ships', { tools }).calls).toEqual([
      ['searchWeb', { query: 'tall ships' }],
    ]);
    expect(ask('Send an email to ann@example.com', { tools }).calls).toMatchObject([
      ['send_email', { email: 'ann@example.com' }],
    ]);
    expect(ask('ping', { tools }).calls).toEqual([['ping', {}]]);
  });

  test('with arguments out of earlier results', () => {
    const tools: Tools = [
      {
        name: 'find_user',
        description: 'Finds a user by name',
        parameters: object({ name: text }, ['name']),
      },
      {
        name: 'list_orders',
        description: 'Orders of a user',
        parameters: object({ user_id: { type: 'integer' } }, ['user_id']),
      },
    ];
    const inputs: unknown[] = [];
    const { rounds } = talk(
      'Find the user "Ann" and list her orders.',
      (name, input) => {
        inputs.push(input);
        return name === 'find_user' ? '{"user":{"userId":7,"name":"Ann"}}' : '[{"id":"o1","total":3}]';
      },
      { tools },
    );
    expect(rounds).toEqual([['find_user'], ['list_orders']]);
    expect(inputs).toEqual([{ name: 'Ann' }, { user_id: 7 }]);
  });

  test('one at a time, none, or one that must be', () => {
    const both = 'What is 1 + 1 and what time is it?';
    expect(ask(both, { parallelToolCalls: false }).calls).toHaveLength(1);
    expect(talk(both, executeDemo, { parallelToolCalls: false }).rounds).toEqual([
      ['calculate'],
      ['current_time'],
    ]);
    expect(ask(both, { toolChoice: 'none' }).calls).toEqual([]);
    expect(ask('Hello!', { toolChoice: 'required' }).calls).toHaveLength(1);
    expect(ask('Hello!', { toolChoice: { tool: 'current_time' } }).calls).toEqual([['current_time', {}]]);
    expect(ask('Hello!', { toolChoice: { tool: 'read_file' } }).calls).toEqual([['read_file', {}]]);
  });
});

describe('answers', () => {
  test('with the largest or smallest of a list', () => {
    expect(talk('Which of the files in this folder is the largest?', executeDemo).said).toBe(
      'The largest of 3 is data.csv, with 48,213 bytes.',
    );
    expect(talk('Which file is the smallest?', () => 'a.md 100 bytes\n- b c.md (2,000 bytes)').said).toBe(
      'The smallest of 2 is a.md, with 100 bytes.',
    );
  });

  test('with a count and names', () => {
    expect(talk('What files are here?', executeDemo).said).toBe(
      'There are 4 entries: src, README.md, data.csv, b.txt.',
    );
    expect(talk('What files are here?', () => '[]').said).toBe('There is nothing in it.');
    expect(talk('What files are here?', () => '["a"]').said).toBe('There is one entry: a.');
  });

  test('with results of parallel calls', () => {
    const { said, rounds } = talk('What is 12.5 * 8 and what time is it in Tokyo?', executeDemo);
    expect(rounds).toEqual([['calculate', 'current_time']]);
    expect(said).toBe('12.5 * 8 = 100. It is Monday, 2025-12-01 13:05:09, UTC+09:00 (Asia/Tokyo).');
  });

  test('with a summary of a file', () => {
    expect(talk('Read README.md and say what it is about', executeDemo).said).toBe(
      'README.md is titled “Title of README.md”. It says: It is about something useful. Really.',
    );
    expect(talk('Read a.json', () => '{"name":"x","version":"1","deps":{}}').said).toBe(
      'a.json: name x, version 1.',
    );
    expect(talk('Read a.txt', () => '').said).toBe('a.txt is empty.');
    expect(talk('Read a.txt', () => 'x'.repeat(9000)).said.length).toBeLessThan(300);
  });

  test('after several rounds', () => {
    const { said, rounds } = talk('Read the largest file.', executeDemo);
    expect(rounds).toEqual([['list_files'], ['read_file']]);
    expect(said).toContain('data.csv is titled “Title of data.csv”');
  });

  test('that a tool failed, whether the format says so or only the text', () => {
    const failed = 'read_file did not work: There is no file "x.md".';
    expect(talk('Read x.md', () => new Error('There is no file "x.md".')).said).toBe(failed);
    for (const complaint of [
      'Error: disk on fire',
      'There is no file or folder "x.md".',
      'The tool "read_file" failed.',
      'The arguments of "read_file" do not fit, so it was not run: path is missing.',
      '"../x.md" lies outside the current folder; refused.',
    ]) {
      const messages: SeenMessage[] = [
        user('Read x.md'),
        {
          role: 'assistant',
          text: '',
          calls: [{ id: 'c', name: 'read_file', arguments: { path: 'x.md' } }],
          thinking: undefined,
          opaque: [],
        },
        { role: 'tool', callId: 'c', name: undefined, text: complaint, isError: undefined, sameTurn: false },
      ];
      expect(demoModel(request(messages)).say).toMatch(/^read_file did not work: /);
    }
  });

  test('that no tool fits, or that there is none', () => {
    expect(ask('Hello!').say).toMatch(/None of the tools .*list_files, read_file, calculate, current_time/);
    expect(ask('What time is it?', { tools: [] }).say).toMatch(/no tools/);
  });

  test('from what it has when tools are no longer offered', () => {
    const messages: SeenMessage[] = [
      user('What files are here?'),
      {
        role: 'assistant',
        text: '',
        calls: [{ id: undefined, name: 'list_files', arguments: {} }],
        thinking: undefined,
        opaque: [],
      },
      {
        role: 'tool',
        callId: undefined,
        name: 'list_files',
        text: LISTING,
        isError: undefined,
        sameTurn: false,
      },
      user('Answer now.'),
    ];
    expect(demoModel(request(messages, { tools: [] })).say).toMatch(/^There are 4 entries/);
  });

  test('the question asked last', () => {
    const messages: SeenMessage[] = [
      user('What files are here?'),
      { role: 'assistant', text: 'There are 4.', calls: [], thinking: undefined, opaque: [] },
      user('And what time is it?'),
    ];
    expect(demoModel(request(messages)).callTools).toEqual([{ name: 'current_time', arguments: {} }]);
  });
});

test('reports usage that grows, with the history as cached, and thinks unless told not to', () => {
  const first = demoModel(request([user('What time is it?')]));
  expect(first.think).toBe('This needs current_time.');
  expect(first.usage).toMatchObject({ prompt: expect.any(Number), reasoning: 6 });
  expect(first.usage && 'cacheRead' in first.usage).toBe(false);
  const { usage } = talk('What time is it?', executeDemo);
  expect(usage!.prompt).toBeGreaterThan(first.usage!.prompt);
  expect(usage!.cacheRead).toBeGreaterThan(0);
  expect(usage!.cacheRead).toBeLessThan(usage!.prompt);
  expect(demoModel(request([user('hi')], { thinking: false })).think).toBeUndefined();
});

test('stops at the limit of tokens', () => {
  const answer = demoModel(request([user('hi')], { maxTokens: 20 }));
  expect(answer.finish).toBe('length');
  expect(answer.usage!.completion).toBeLessThanOrEqual(20);
});

test('is deterministic, and bears odd tools and long prompts', () => {
  const odd: Tools = [
    {
      name: 'constructor',
      description: '',
      parameters: {
        type: 'object',
        properties: { a: null, b: { enum: [] }, 'x(': { type: 'number' } },
        required: 'a',
      },
    },
  ];
  const long = `${'word 1 + '.repeat(20_000)} ((((`;
  const started = performance.now();
  const first = demoModel(request([user(long)], { tools: [...DEMO_TOOLS, ...odd] }));
  expect(demoModel(request([user(long)], { tools: [...DEMO_TOOLS, ...odd] }))).toEqual(first);
  expect(performance.now() - started).toBeLessThan(2000);
});
