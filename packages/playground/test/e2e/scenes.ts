/** What the model on the stage does, by the first word of the prompt. */

import { setTimeout as wait } from 'node:timers/promises';
import {
  AdapterError,
  type Delta,
  type ModelRequest,
  type ModelResponse,
  type ToolCall,
} from '@glassloop/core';

export type Round = (request: ModelRequest, round: number) => Promise<ModelResponse> | ModelResponse;

const PAUSE = 15;

export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await wait(ms, undefined, signal === undefined ? {} : { signal }).catch(() => signal?.throwIfAborted());
}

interface Said {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly ToolCall[];
  readonly finishReason?: ModelResponse['finishReason'];
  readonly usage?: ModelResponse['usage'];
  readonly model?: string;
  readonly raw?: unknown;
}

export async function stream(request: ModelRequest, said: Said, pieceMs = PAUSE): Promise<ModelResponse> {
  const { text = '', thinking, calls = [] } = said;
  const send = async (kind: 'text' | 'thinking', whole: string) => {
    for (const piece of whole.match(/[\s\S]{1,14}/g) ?? []) {
      await pause(pieceMs, request.signal);
      request.onDelta?.({ kind, text: piece } as Delta);
    }
  };
  await pause(pieceMs * 4, request.signal);
  if (thinking !== undefined) await send('thinking', thinking);
  await send('text', text);
  for (const [index, call] of calls.entries()) {
    request.onDelta?.({
      kind: 'tool_call',
      index,
      id: call.id,
      name: call.name,
      argumentsText: call.argumentsJson,
    });
  }
  const promptTokens = Math.ceil(JSON.stringify(request.messages).length / 4) + request.tools.length * 90;
  const completionTokens = Math.ceil(
    (text.length + (thinking?.length ?? 0) + JSON.stringify(calls).length) / 4,
  );
  return {
    message: { role: 'assistant', content: text, toolCalls: calls },
    ...(thinking === undefined ? {} : { thinking }),
    finishReason: said.finishReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
    rawFinishReason: said.finishReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn'),
    usage: said.usage ?? {
      promptTokens,
      completionTokens,
      totalTokens: promptTokens + completionTokens,
      ...(request.messages.length > 3 ? { cacheReadTokens: Math.floor(promptTokens * 0.6) } : {}),
      ...(thinking === undefined ? {} : { reasoningTokens: Math.ceil(thinking.length / 4) }),
    },
    model: said.model ?? 'stage-1',
    ...(request.options._capture_raw === true
      ? {
          metadata: {
            _raw: said.raw ?? { id: 'msg_1', content: text, stop_reason: 'end_turn' },
            _wire: {
              method: 'POST',
              url: 'https://api.example.test/v1/messages',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ model: 'stage-1', messages: request.messages }),
            },
          },
        }
      : {}),
  };
}

let calls = 0;
export function call(name: string, args: unknown): ToolCall {
  return {
    id: `call_${++calls}`,
    name,
    argumentsJson: typeof args === 'string' ? args : JSON.stringify(args),
  };
}

export const HOSTILE = [
  '<img src=x onerror=alert(1)> & "quoted" <think>x</think>',
  '</script><script>alert(1)</script>',
  '<svg onload=alert(1)><a href="javascript:alert(1)">x</a></svg>',
  '![pixel](https://evil.example/pixel.png) [click](javascript:alert(1)) [data](data:text/html,<script>alert(1)</script>)',
  '[good](https://example.com/path?x=1) <https://auto.example/> www.bare.example',
  '<iframe src="https://evil.example"></iframe><style>*{display:none}</style><form action="https://evil.example"><input></form>',
  '<meta http-equiv="refresh" content="0;url=https://evil.example"><base href="https://evil.example">',
  '| a | b |\n|---|---|\n| <b onmouseover=alert(1)>x</b> | <a href="vbscript:x">y</a> |',
  'bidi \u202Eevil\u202C zero\u200Bwidth tag\u{E0041}\u{E0042} nul\u0000 esc\u001B[31mred\u001B[0m \u001B]8;;https://evil.example\u0007link\u001B]8;;\u0007',
  '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  '```html\n<script>alert(1)</script>\n```',
].join('\n\n');

const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
export const PICTURE = { type: 'image' as const, mediaType: 'image/png', data: PNG };

export const SCENES: { readonly [word: string]: Round } = {
  plain: (request) => stream(request, { text: 'A **plain** answer with `code`.' }),
  tools: (request, round) =>
    round === 1
      ? stream(request, {
          thinking: 'Two look-ups will tell.',
          text: 'I will look both up.',
          calls: [call('look_up', { word: 'owl' }), call('slow', { ms: 120 })],
        })
      : stream(request, { text: 'An owl is a thing, and waiting takes time.' }),
  failing: (request, round) =>
    round === 1
      ? stream(request, { calls: [call('broken', { word: 'owl' }), call('look_up', '{"word": ')] })
      : stream(request, { text: 'The tool failed, so I cannot say.' }),
  error: (request, round) => {
    if (round === 1)
      return stream(request, { text: 'First the tool.', calls: [call('look_up', { word: 'owl' })] });
    throw new AdapterError('auth', 'The key was refused.', { status: 401, requestId: 'req_77' });
  },
  retry: (request, _round) => {
    if (!retried.delete(request.messages.length)) {
      retried.add(request.messages.length);
      throw new AdapterError('rate_limited', 'Too many requests.', { status: 429, retryAfterMs: 150 });
    }
    return stream(request, { text: 'At the second try.' });
  },
  slow: async (request) => {
    for (let piece = 0; piece < 2400; piece++) {
      await pause(25, request.signal);
      request.onDelta?.({ kind: 'text', text: `word${piece} ` });
    }
    return stream(request, { text: 'done' });
  },
  hang: async (request, round) => {
    if (round === 1) return stream(request, { calls: [call('slow', { ms: 60_000 })] });
    return stream(request, { text: 'done' });
  },
  silent: async (request) => {
    await pause(60_000, request.signal);
    return stream(request, { text: 'done' });
  },
  length: (request) => stream(request, { text: 'This answer is cut in the mid', finishReason: 'length' }),
  loop: (request, round) =>
    request.tools.length === 0
      ? stream(request, { text: 'Out of rounds.' })
      : stream(request, { calls: [call('look_up', { word: `owl ${round}` })] }, 2),
  zero: (request) =>
    stream(request, {
      text: 'Free.',
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0, estimatedCost: 0 },
    }),
  unknown: (request) => stream(request, { text: 'Uncounted.', usage: {} }),
  hostile: (request, round) =>
    round === 1
      ? stream(request, { text: HOSTILE, thinking: HOSTILE, calls: [call('hostile', { text: HOSTILE })] }, 1)
      : stream(request, { text: HOSTILE, thinking: HOSTILE, raw: { text: HOSTILE, [HOSTILE]: HOSTILE } }, 1),
  big: (request) =>
    stream(request, {
      text: 'A big body.',
      raw: {
        rows: Array.from({ length: 24_000 }, (_, id) => ({ id, name: `row ${id}`, note: 'x'.repeat(180) })),
      },
    }),
};
const retried = new Set<number>();
