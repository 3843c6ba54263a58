/** The run that the pictures show: somebody looks for the reason of slow checkouts. */

import { setTimeout as wait } from 'node:timers/promises';
import {
  type Adapter,
  AdapterError,
  defineTool,
  type ModelRequest,
  type Skill,
  type Snippet,
} from '@glassloop/core';
import type { PlaygroundContents, PlaygroundTool } from '../../src/options.ts';
import { call, stream } from './scenes.ts';

const MODEL = 'claude-sonnet-4-5';

export const QUESTION =
  'Why did checkout p95 latency jump yesterday after 14:00 UTC? Check deploys and logs, then suggest a fix.';

const ANSWER = `Checkout p95 rose from **212 ms** to **840 ms** at 14:07 UTC, two minutes after deploy \`4f2c1e9\`.

1. The commit asks for the tax rate **once for each line** of a cart, where it asked once for the whole cart.
2. The slow-query log has 11 entries of \`tax_rates\` in that window, and none before it.

**Fix:** batch the look-ups again, \`rates.forCart(cart)\`, or cache rates for the length of one request. Rolling back \`4f2c1e9\` brings the old latency back at once.`;

const DIFF = `@@ -41,3 +41,4 @@ src/cart/totals.ts
- const tax = await rates.forCart(cart);
+ const tax = await Promise.all(
+   cart.lines.map((line) => rates.forLine(line)));
  return sum(cart.lines, tax);`;

const POINTS = Array.from({ length: 24 }, (_, hour) => ({
  at: `${String(hour).padStart(2, '0')}:00`,
  p50: hour < 14 ? 88 + (hour % 3) : 301 + hour,
  p95: hour < 14 ? 208 + (hour % 5) : 820 + hour * 2,
}));

const usage = (prompt: number, completion: number, cached: number | undefined, thinking?: number) => ({
  promptTokens: prompt,
  completionTokens: completion,
  totalTokens: prompt + completion,
  ...(cached === undefined ? {} : { cacheReadTokens: cached }),
  ...(thinking === undefined ? {} : { reasoningTokens: thinking }),
});

let runs = 0;

function tell(request: ModelRequest, round: number) {
  switch (round) {
    case 1:
      return stream(
        request,
        {
          thinking: 'I need the latency curve and the deploys of that day before I can say anything.',
          text: 'I will look at the latency and at the deploys first.',
          calls: [
            call('query_metrics', { metric: 'checkout.p95', window: ++runs % 2 === 1 ? '24h' : '2h' }),
            call('list_deploys', { service: 'checkout-api' }),
          ],
          model: MODEL,
          usage: usage(2184, 148, undefined, 61),
        },
        62,
      );
    case 2:
      return stream(
        request,
        {
          thinking:
            'p95 rises at 14:07, two minutes after deploy 4f2c1e9 finished. Check what that commit changed in the checkout path, and look for slow queries in the same window.',
          text: "The rise starts at **14:07 UTC**, two minutes after `4f2c1e9` reached all checkout-api hosts. I'll read that commit and search the slow-query log for the same window.",
          calls: [
            call('get_commit_diff', { repo: 'checkout-api', sha: '4f2c1e9', context: 3 }),
            call('search_logs', { query: 'slow_query', from: '2026-08-20T13:00Z', to: '2026-08-20T16:00Z' }),
          ],
          model: MODEL,
          usage: usage(3402, 231, 2112, 96),
        },
        62,
      );
    case 3:
      return stream(
        request,
        {
          text: 'The log search timed out; a shorter window should do.',
          calls: [
            call('search_logs', { query: 'slow_query', from: '2026-08-20T14:00Z', to: '2026-08-20T14:20Z' }),
          ],
          model: MODEL,
          usage: usage(4611, 132, 3380),
        },
        62,
      );
    default:
      return stream(request, { text: ANSWER, model: MODEL, usage: usage(5236, 486, 4600) }, 40);
  }
}

function storyAdapter(model: string): Adapter {
  return {
    name: 'anthropic',
    model,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    async chat(request) {
      const round = request.messages.filter((message) => message.role === 'assistant').length + 1;
      const isIncident = JSON.stringify(request.messages).includes('incident 4411');
      if (isIncident && round > 1) {
        await wait(180);
        throw new AdapterError('unavailable', 'Overloaded', { status: 529, requestId: 'req_011CTx' });
      }
      return tell(request, round);
    },
  };
}

const text = (name: string, description = name) => ({ type: 'string', description });
const object = (properties: Record<string, unknown>, required: string[]) => ({
  type: 'object',
  properties,
  required,
});

let searches = 0;
const TOOLS: readonly PlaygroundTool[] = [
  {
    group: 'metrics',
    tool: defineTool({
      name: 'query_metrics',
      description: 'Reads a metric for a window of time. Returns one row for each hour.',
      input: object({ metric: text('metric'), window: text('window', 'Such as 24h.') }, ['metric']),
      effect: 'reads',
      execute: () => wait(412, POINTS),
    }),
  },
  {
    group: 'metrics',
    tool: defineTool({
      name: 'list_deploys',
      description: 'Lists the deploys of a service, newest first.',
      input: object({ service: text('service') }, ['service']),
      effect: 'reads',
      execute: () =>
        wait(238, [
          { at: '14:05', commit: '4f2c1e9', author: 'mira' },
          { at: '11:20', commit: 'b07d114', author: 'jon' },
          { at: '09:02', commit: '91ac0fe', author: 'mira' },
        ]),
    }),
  },
  {
    group: 'code',
    tool: defineTool({
      name: 'get_commit_diff',
      description: 'Returns what a commit changed.',
      input: object({ repo: text('repo'), sha: text('sha'), context: { type: 'integer' } }, ['repo', 'sha']),
      effect: 'reads',
      execute: () => wait(186, DIFF),
    }),
  },
  {
    group: 'logs',
    tool: defineTool({
      name: 'search_logs',
      description: 'Searches the logs of a window of time.',
      input: object({ query: text('query'), from: text('from'), to: text('to') }, ['query']),
      effect: 'reads',
      async execute() {
        if (++searches % 2 === 1) {
          await wait(1500);
          throw new Error('no result within 1,500 ms');
        }
        await wait(640);
        return Array.from(
          { length: 11 },
          (_, line) => `14:${String(7 + line).padStart(2, '0')} slow_query tax_rates ${700 + line * 13} ms`,
        ).join('\n');
      },
    }),
  },
  {
    group: 'tickets',
    tool: defineTool({
      name: 'create_ticket',
      description: 'Opens a ticket.',
      input: object({ title: text('title') }, ['title']),
      execute: () => 'opened',
    }),
  },
];

const SKILL: Skill = {
  id: 'incident-triage',
  name: 'incident-triage',
  body: 'Find the moment the curve bends. Then find what changed within ten minutes before it. Prove it with a second source before you name a cause.\n'.repeat(
    6,
  ),
};
const SNIPPETS: readonly Snippet[] = [
  { id: 'tone', name: 'Tone', text: 'Short sentences. Numbers with units. No blame.\n'.repeat(8) },
  {
    id: 'glossary',
    name: 'Glossary',
    text: 'p95: the slowest request of the fastest 95 of 100.\n'.repeat(8),
  },
];

export const STORY: Partial<PlaygroundContents> = {
  tools: TOOLS,
  skills: new Map([[SKILL.id, SKILL]]),
  snippets: new Map(SNIPPETS.map((snippet) => [snippet.id, snippet])),
  configurations: [
    {
      id: 'ops-assistant',
      title: 'ops-assistant',
      provider: 'anthropic',
      model: 'claude-sonnet-4-5',
      systemPrompt:
        'You help people who run a shop to find out why it is slow. Use the tools; say what you know and what you guess.\n'.repeat(
          9,
        ),
      skills: [SKILL.id],
      snippets: SNIPPETS.map(({ id }) => id),
      options: { thinking: true, maxTokens: 2048 },
      maxRounds: 8,
    },
  ],
  providers: [
    {
      name: 'anthropic',
      ready: true,
      models: [
        {
          id: 'claude-sonnet-4-5',
          contextWindow: 200_000,
          prices: { fresh: 3, cacheRead: 0.3, cacheWrite: 3.75, output: 15, asOf: '2026-08-01' },
        },
      ],
      takesAnyModel: true,
      capabilities: null,
      create: storyAdapter,
    },
  ],
  examplePrompts: [QUESTION, 'Which deploys went out today?', 'Summarise incident 4411.'],
  defaults: { configuration: 'ops-assistant' },
};
