/**
 * Which recorded exchanges the adapters agree with, per adapter, and where they do not.
 *
 *   node scripts/recordings-report.mjs [--folder FOLDER] [--adapter NAME] [--values]
 *
 * FOLDER defaults to ../shared/recordings. Exit code 1 when something does not agree for no known reason.
 */

import { parseArgs } from 'node:util';
import { conversations, exchangesFor, readExchanges } from '../conformance/src/exchange.ts';
import { replayConversation } from '../conformance/src/replay-conversation.ts';
import {
  type CreateAdapter,
  type Difference,
  replayExchange,
  wireFor,
} from '../conformance/src/replay-exchange.ts';
import { anthropic } from '../packages/anthropic/src/index.ts';
import { google } from '../packages/google/src/index.ts';
import { groq } from '../packages/groq/src/index.ts';
import { mistral } from '../packages/mistral/src/index.ts';
import { ollama } from '../packages/ollama/src/index.ts';
import { openai } from '../packages/openai/src/index.ts';
import { openrouter } from '../packages/openrouter/src/index.ts';

const ADAPTERS: { readonly [name: string]: CreateAdapter } = {
  openai,
  anthropic,
  google,
  mistral,
  groq,
  openrouter,
  ollama,
};

const REPAIRED =
  'the adapter turns a call that Groq refused into one that the loop answers, instead of failing';

/** Where the recording is not the measure, and why. */
const KNOWN: { readonly [id: string]: string } = {
  'anthropic-chatlas-test-provider-anthropic-test-anthropic-empty-response-f29d6':
    'the recorded client put words of its own in the place of an empty answer',
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-a0f17': REPAIRED,
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-a0f17-1': REPAIRED,
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-e2243': REPAIRED,
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-streaming-e2243-1': REPAIRED,
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-with-text-f99c1': REPAIRED,
  'groq-pydantic-ai-test-groq-test-tool-use-failed-error-with-text-f99c1-1': REPAIRED,
  'mistral-pydantic-ai-test-multimodal-tool-return-matrix-direct-url-image-mistral-c9b71':
    'the recorded client put an answer of its own between the tool result and the file it returned',
  'ollama-activeagent-tools-test-test-agent-common-format-multiple-tools-91374':
    'the recorded client joined two results into one and left the other call unanswered',
  'openrouter-llm-test-tools-streaming-test-tools-streaming-variant-a-80440':
    'the answer ends without a finish reason, and the loop does not run calls of such an answer',
};

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: '../shared/recordings' },
    adapter: { type: 'string' },
    /** Also print what was expected and what came. */
    values: { type: 'boolean', default: false },
  },
});

const exchanges = readExchanges(values.folder);
if (exchanges.length === 0) console.log(`No recordings in ${values.folder}.`);
let failed = 0;

for (const [name, create] of Object.entries(ADAPTERS)) {
  if (values.adapter !== undefined && values.adapter !== name) continue;
  const own = exchangesFor(name, exchanges);
  const lines: string[] = [];
  const known: string[] = [];
  let agreed = 0;
  for (const exchange of own) {
    const differences = await replayed(() =>
      replayExchange(create, exchange, { capture: true, splitBytes: 997 }),
    );
    if (differences.length === 0) agreed++;
    else if (KNOWN[exchange.id] !== undefined) known.push(exchange.id);
    else lines.push(...described(exchange.id, differences));
  }
  const talks = conversations(own);
  let followed = 0;
  for (const turns of talks) {
    const [first] = turns;
    if (first === undefined) continue;
    const differences = await replayed(() => replayConversation(create, wireFor(first), turns));
    const id = first.conversation?.id ?? '';
    if (differences.length === 0) followed++;
    else if (KNOWN[id] !== undefined) known.push(id);
    else lines.push(...described(`${id} (conversation)`, differences));
  }
  failed += own.length - agreed + talks.length - followed - known.length;
  console.log(
    `${name}: ${agreed} of ${own.length} exchanges agree, ${followed} of ${talks.length} conversations.`,
  );
  for (const id of known) console.log(`  ${id}: known, ${KNOWN[id]}`);
  for (const line of lines) console.log(line);
}
process.exitCode = failed > 0 ? 1 : 0;

async function replayed(replay: () => Promise<readonly Difference[]>): Promise<readonly Difference[]> {
  try {
    return await replay();
  } catch (error) {
    return [
      { field: 'replay', expected: 'to run', actual: error instanceof Error ? error.message : String(error) },
    ];
  }
}

function described(id: string, differences: readonly Difference[]): string[] {
  const fields = differences.map(({ field }) => field).join(', ');
  if (!values.values) return [`  ${id}: ${fields}`];
  return [
    `  ${id}: ${fields}`,
    ...differences.map(
      ({ field, expected, actual }) =>
        `    ${field}\n      expected ${shown(expected)}\n      got      ${shown(actual)}`,
    ),
  ];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= 400 ? text : `${text.slice(0, 400)}… (${text.length} characters)`;
}
