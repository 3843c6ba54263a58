import { expect, test } from 'vitest';
import { demoModel, startSimulator, wireFormats } from '../src/index.ts';

test('the demo model answers over HTTP, whole and streamed', async () => {
  const simulator = await startSimulator({ wire: wireFormats.openai, respond: demoModel });
  const ask = (stream: boolean) =>
    fetch(`${simulator.baseURL}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'demo',
        stream,
        messages: [{ role: 'user', content: 'What is 12.5 * 8?' }],
        tools: [
          {
            type: 'function',
            function: {
              name: 'calculate',
              description: 'Evaluates an arithmetic expression',
              parameters: {
                type: 'object',
                properties: { expression: { type: 'string' } },
                required: ['expression'],
              },
            },
          },
        ],
      }),
    });
  expect(await (await ask(false)).json()).toMatchObject({
    choices: [
      {
        message: {
          tool_calls: [{ function: { name: 'calculate', arguments: '{"expression":"12.5 * 8"}' } }],
        },
      },
    ],
  });
  expect(await (await ask(true)).text()).toContain('"finish_reason":"tool_calls"');
  await simulator.close();
});
