/** The provider of the benchmarks: canned chat completions, so that what is measured is the client. */

/**
 * @param {{ rounds: number }} plan rounds that ask for a tool before the answer
 * @param {number} round counted from 1
 */
export function replyBody({ rounds }, round) {
  const message =
    round <= rounds
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call_${round}`,
              type: 'function',
              function: { name: 'fetch_page', arguments: `{"page":${round}}` },
            },
          ],
        }
      : { role: 'assistant', content: 'Done.' };
  return JSON.stringify({
    id: `chatcmpl-${round}`,
    object: 'chat.completion',
    created: 1767225600,
    model: 'bench-model',
    choices: [{ index: 0, message, finish_reason: round <= rounds ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 100 * round, completion_tokens: 20, total_tokens: 100 * round + 20 },
  });
}

/** The round a request asks for: one more than the results that come with it. Counting a key is cheaper than parsing. */
export function roundOf(bodyText) {
  return bodyText.split('"tool_call_id"').length;
}

/** A `fetch` without a network. */
export function inProcessFetch(plan) {
  return async (_url, init) =>
    new Response(replyBody(plan, roundOf(init.body)), { headers: { 'content-type': 'application/json' } });
}
