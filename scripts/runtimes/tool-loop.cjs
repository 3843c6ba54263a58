/** Copied into a folder where the packed packages are installed. One tool loop over each adapter, in every way there is. */

const assert = require('node:assert/strict');

/** Adapter → the wire format of its provider and a model that it takes. */
const ADAPTERS = {
  openai: ['openaiChat', 'gpt-4o-mini'],
  anthropic: ['anthropicMessages', 'claude-sonnet-4-5'],
  google: ['googleGenerateContent', 'gemini-2.5-flash'],
  mistral: ['mistralChat', 'mistral-small-latest'],
  ollama: ['ollamaChat', 'qwen3:8b'],
  groq: ['groqChat', 'openai/gpt-oss-20b'],
  openrouter: ['openrouterChat', 'some/model'],
};
exports.ADAPTERS = ADAPTERS;

/** `load` is `require` or `import()`. Prints one line of JSON: adapter → true, or what went wrong. */
exports.tryAdapters = async (load, names) => {
  const outcomes = {};
  // That a runtime complains about an SDK would be a user's first impression. require() of ESM is still new to Node 20.
  const warnings = new Set();
  process.on(
    'warning',
    ({ name, message }) => name !== 'ExperimentalWarning' && warnings.add(`${name}: ${message}`),
  );
  for (const name of names) {
    try {
      for (const streamed of [false, true])
        for (const traced of ['no', 'yes', 'raw']) await toolLoop(load, name, streamed, traced);
      await new Promise((resolve) => setTimeout(resolve, 10));
      outcomes[name] = warnings.size === 0 || [...warnings].join('; ');
      warnings.clear();
    } catch (error) {
      outcomes[name] = String(error?.stack ?? error);
    }
  }
  console.log(`outcomes ${JSON.stringify(outcomes)}`);
  // A runtime that keeps a connection open must not look like one that hangs.
  process.exit();
};

async function toolLoop(load, name, streamed, traced) {
  const { defineTool, RunTrace, runLoop } = await load('@glassloop/core');
  const simulators = await load('@glassloop/simulator');
  const { [name]: factory } = await load(`@glassloop/${name}`);
  const [wire, model] = ADAPTERS[name];
  const simulator = await simulators.startSimulator({
    wire: simulators[wire],
    turns: [
      { callTools: [{ name: 'clock', arguments: { zone: 'UTC' } }] },
      { say: 'It is noon, as the clock says.' },
    ],
  });
  const zones = [];
  const clock = defineTool({
    name: 'clock',
    description: 'The time.',
    parameters: { type: 'object', properties: { zone: { type: 'string' } }, required: ['zone'] },
    execute: ({ zone }) => {
      zones.push(zone);
      return 'noon';
    },
  });
  const trace = traced === 'no' ? undefined : new RunTrace({ captureRaw: traced === 'raw' });
  let text = '';
  const run = {
    adapter: factory({ model, apiKey: 'a-key-for-nobody', baseURL: simulator.baseURL }),
    messages: [{ role: 'user', content: 'What time is it?' }],
    tools: [clock],
    ...(streamed && { onDelta: (delta) => (text += delta.kind === 'text' ? delta.text : '') }),
  };
  const result = await runLoop(run, trace);

  const how = `${name}, ${streamed ? 'streamed' : 'whole'}, trace: ${traced}`;
  const { content, stopReason, rounds, usage, messages } = result;
  const roles = messages.map((message) => message.role);
  assert.deepEqual(
    { content, stopReason, rounds, zones, roles, tokens: usage.totalTokens },
    {
      content: 'It is noon, as the clock says.',
      stopReason: 'completed',
      rounds: 2,
      zones: ['UTC'],
      roles: ['user', 'assistant', 'tool', 'assistant'],
      tokens: 30,
    },
    how,
  );
  if (streamed) assert.equal(text, content, how);
  if (trace !== undefined) {
    const kinds = trace.steps.map((step) => step.kind);
    assert.equal(kinds.filter((kind) => kind === 'request').length, 2, `${how}: ${kinds}`);
    assert.equal(
      JSON.stringify(trace).includes('a-key-for-nobody'),
      false,
      `${how}: the key is in the trace`,
    );
  }
  // Throws when a turn is left over or a request was not expected.
  await simulator.close();
}
