/** The provider of the benchmarks: canned answers, so that what is measured is the client. */

/**
 * @typedef {object} Plan
 * @property {number} rounds rounds that ask for tools before the answer
 * @property {number} calls tool calls in each of them
 * @property {boolean} [stream]
 * @property {'openai' | 'anthropic'} [wire] default openai
 */

const TYPE = { whole: 'application/json', stream: 'text/event-stream' };

/** @param {Plan} plan @param {number} round counted from 1 */
export function reply(plan, round) {
  const wire = plan.wire === 'anthropic' ? anthropic : openai;
  return {
    type: plan.stream ? TYPE.stream : TYPE.whole,
    // One network write each, as a provider sends events.
    chunks: plan.stream ? wire.events(plan, round) : [wire.whole(plan, round)],
  };
}

/** The round a request asks for: one more than the results that come with it. Counting a key is cheaper than parsing. */
export function roundOf(plan, bodyText) {
  const key = plan.wire === 'anthropic' ? '"tool_use_id"' : '"tool_call_id"';
  return (bodyText.split(key).length - 1) / plan.calls + 1;
}

/** A `fetch` without a network. */
export function inProcessFetch(plan) {
  return async (_url, init) => {
    const { type, chunks } = reply(plan, roundOf(plan, init.body));
    return new Response(plan.stream ? streamOf(chunks) : chunks[0], { headers: { 'content-type': type } });
  };
}

const encoder = new TextEncoder();
function streamOf(chunks) {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      if (next < chunks.length) controller.enqueue(encoder.encode(chunks[next++]));
      else controller.close();
    },
  });
}

const callsOf = ({ rounds, calls }, round) =>
  round <= rounds
    ? Array.from({ length: calls }, (_, index) => ({
        id: `call_${round}_${index}`,
        page: (round - 1) * calls + index + 1,
      }))
    : [];

const event = (data, name) =>
  `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;

const openai = {
  whole(plan, round) {
    const calls = callsOf(plan, round);
    const tool_calls = calls.map(({ id, page }) => ({
      id,
      type: 'function',
      function: { name: 'fetch_page', arguments: `{"page":${page}}` },
    }));
    const message =
      calls.length > 0
        ? { role: 'assistant', content: null, tool_calls }
        : { role: 'assistant', content: 'Done.' };
    return JSON.stringify({
      ...openai.base(round, 'chat.completion'),
      choices: [{ index: 0, message, finish_reason: calls.length > 0 ? 'tool_calls' : 'stop' }],
      usage: openai.usage(round),
    });
  },
  events(plan, round) {
    const base = openai.base(round, 'chat.completion.chunk');
    const piece = (delta, finish_reason = null) =>
      event({ ...base, choices: [{ index: 0, delta, finish_reason }] });
    const calls = callsOf(plan, round);
    return [
      piece({ role: 'assistant', content: null }),
      ...calls.flatMap(({ id, page }, index) => [
        piece({
          tool_calls: [{ index, id, type: 'function', function: { name: 'fetch_page', arguments: '' } }],
        }),
        piece({ tool_calls: [{ index, function: { arguments: '{"page":' } }] }),
        piece({ tool_calls: [{ index, function: { arguments: `${page}}` } }] }),
      ]),
      ...(calls.length === 0 ? [piece({ content: 'Do' }), piece({ content: 'ne.' })] : []),
      piece({}, calls.length > 0 ? 'tool_calls' : 'stop'),
      event({ ...base, choices: [], usage: openai.usage(round) }),
      'data: [DONE]\n\n',
    ];
  },
  base: (round, object) => ({
    id: `chatcmpl-${round}`,
    object,
    created: 1767225600,
    model: 'bench-model',
  }),
  usage: (round) => ({
    prompt_tokens: 100 * round,
    completion_tokens: 20,
    total_tokens: 100 * round + 20,
  }),
};

const anthropic = {
  whole(plan, round) {
    const calls = callsOf(plan, round);
    return JSON.stringify({
      ...anthropic.base(round),
      content:
        calls.length > 0
          ? calls.map(({ id, page }) => ({ type: 'tool_use', id, name: 'fetch_page', input: { page } }))
          : [{ type: 'text', text: 'Done.' }],
      stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 100 * round, output_tokens: 20 },
    });
  },
  events(plan, round) {
    const send = (data) => event(data, data.type);
    const calls = callsOf(plan, round);
    const start = {
      ...anthropic.base(round),
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { input_tokens: 100 * round, output_tokens: 1 },
    };
    const block = (index, content_block, deltas) => [
      send({ type: 'content_block_start', index, content_block }),
      ...deltas.map((delta) => send({ type: 'content_block_delta', index, delta })),
      send({ type: 'content_block_stop', index }),
    ];
    const json = (partial_json) => ({ type: 'input_json_delta', partial_json });
    return [
      send({ type: 'message_start', message: start }),
      ...(calls.length > 0
        ? calls.flatMap(({ id, page }, index) =>
            block(index, { type: 'tool_use', id, name: 'fetch_page', input: {} }, [
              json('{"page":'),
              json(`${page}}`),
            ]),
          )
        : block(0, { type: 'text', text: '' }, [
            { type: 'text_delta', text: 'Do' },
            { type: 'text_delta', text: 'ne.' },
          ])),
      send({
        type: 'message_delta',
        delta: { stop_reason: calls.length > 0 ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 20 },
      }),
      send({ type: 'message_stop' }),
    ];
  },
  base: (round) => ({ id: `msg_${round}`, type: 'message', role: 'assistant', model: 'bench-model' }),
};
