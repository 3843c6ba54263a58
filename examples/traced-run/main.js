// @ts-check
import { randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { defineTool, RunTrace, runLoop } from '@glassloop/core';
import { encodeStep, encodeTraceHeader } from '@glassloop/core/trace-file';
import { openai } from '@glassloop/openai';
import { z } from 'zod';

const { OPENAI_API_KEY, OPENAI_BASE_URL, OPENAI_MODEL = 'gpt-5-mini' } = process.env;
if (!OPENAI_API_KEY) {
  console.error('Set OPENAI_API_KEY, and OPENAI_BASE_URL for another host than api.openai.com.');
  process.exit(1);
}

const weather = defineTool({
  name: 'get_weather',
  description: 'Returns the current weather of a city.',
  input: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 18, sky: 'clear' }),
});

// A trace holds everything that was said, so nobody else may read the file.
const file = 'run.ndjson';
const header = { id: randomUUID(), startedAt: new Date().toISOString(), capturesRaw: true };
writeFileSync(file, encodeTraceHeader(header), { mode: 0o600 });

let seq = 0;
const trace = new RunTrace({
  captureRaw: true,
  // Written at once, so that the file can be read even if the process dies in the next step.
  onRecord: (step) => appendFileSync(file, encodeStep(step, ++seq)),
});

const result = await runLoop(
  {
    adapter: openai({
      model: OPENAI_MODEL,
      apiKey: OPENAI_API_KEY,
      ...(OPENAI_BASE_URL && { baseURL: OPENAI_BASE_URL }),
    }),
    messages: [{ role: 'user', content: 'What is the weather in Lisbon?' }],
    tools: [weather],
  },
  trace,
);

console.log(result.content);
for (const step of trace.steps) console.log(`round ${step.round}  ${step.kind}`);
console.log(`The trace is in ${file}.`);
