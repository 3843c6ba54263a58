/** What `glassloop init` writes. */
export const STARTER_FILES: { readonly [path: string]: string } = {
  'glassloop.config.ts': `import { defineConfig } from '@glassloop/project';

export default defineConfig({
  // Who answers. Keys never stand here: keyVariable names the environment variable that holds one.
  providers: {
    // The embedded demo model: a few rules on this machine, which really call tools. No key.
    demo: {},

    // openai: {
    //   model: 'gpt-5-mini',
    //   keyVariable: 'OPENAI_API_KEY',
    //   // US dollars per million tokens, and the day you looked them up. No price: no cost, which is not a cost of 0.
    //   prices: { 'gpt-5-mini': { fresh: 0.25, cacheRead: 0.025, output: 2, asOf: '2025-11-03' } },
    // },
  },

  // The configuration of a run that names none.
  default: 'ops',

  configurations: {
    ops: {
      provider: 'demo',
      systemPrompt: 'You keep the services of a shop running. Look at the numbers before you answer.',
      // Folders in skills/. A skill is reference material: it goes into the first user message, fenced.
      skills: ['incident-triage'],
      // Snippets in snippets/ with one of these tags join the system prompt.
      tags: ['tone'],
      // Names; without this line all tools of the project are offered, and no built-in ones.
      tools: ['query_metrics', 'current_time'],
      // Sampling and output: temperature, topP, maxTokens, stop, toolChoice, thinking, providerOptions.
      options: {},
      maxRounds: 5,
      // Reaching one ends the run: totalTokens, cost (US dollars), toolCalls, durationMs.
      limits: { toolCalls: 20 },
    },
  },

  // Modules whose default export is a tool made by defineTool, or a list of them.
  tools: ['./tools/query-metrics.ts'],

  // MCP servers, for configurations that say \`mcp: ['files']\`; needs npm install @glassloop/mcp.
  // mcpServers: {
  //   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '.'] },
  // },
});
`,
  'skills/incident-triage/SKILL.md': `---
name: incident-triage
description: How to find out what is wrong with a service, and in which order to look.
# Tools this skill needs. When a configured skill names tools, only those are offered.
allowed-tools: [query_metrics, current_time]
---

# Incident triage

1. Look at the error rate first, then at latency, then at traffic.
2. Compare with the last hour. A number alone says little.
3. Name the service, the number and the time in every statement.
4. Say what you do not know.
`,
  'snippets/tone-brief.md': `---
name: Tone
tags: [tone]
active: true
---
Answer in two sentences at most. No greetings.
`,
  'tools/query-metrics.ts': `import { defineTool } from '@glassloop/core';

const NUMBERS = {
  checkout: { error_rate: 0.042, latency_ms: 870, requests_per_second: 61 },
  search: { error_rate: 0.001, latency_ms: 95, requests_per_second: 240 },
  payments: { error_rate: 0.0, latency_ms: 310, requests_per_second: 18 },
};

// Numbers of its own stand in for a real source, so that it runs anywhere.
export default defineTool({
  name: 'query_metrics',
  description: 'Error rate, latency and traffic of a service over the last five minutes.',
  input: {
    type: 'object',
    properties: {
      service: { type: 'string', enum: ['checkout', 'search', 'payments'] },
    },
    required: ['service'],
    additionalProperties: false,
  },
  execute: ({ service }: { service: keyof typeof NUMBERS }) => ({ service, ...NUMBERS[service] }),
});
`,
};
