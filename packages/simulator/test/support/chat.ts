import type { ScriptedAnswer } from '../../src/turn.ts';
import { groqChat } from '../../src/wire/groq-chat.ts';
import { mistralChat } from '../../src/wire/mistral-chat.ts';
import { openaiChat } from '../../src/wire/openai-chat.ts';
import { openrouterChat } from '../../src/wire/openrouter-chat.ts';
import type { RecordedRequest, WireFormat } from '../../src/wire/wire-format.ts';

export type Json = { [field: string]: any };

export const PATHS = new Map<WireFormat, string>([
  [openaiChat, '/v1/chat/completions'],
  [groqChat, '/openai/v1/chat/completions'],
  [openrouterChat, '/api/v1/chat/completions'],
  [mistralChat, '/v1/chat/completions'],
]);
export const ALL = [...PATHS.keys()].map((wire) => [wire.name, wire] as const);

export function request(body: Json, path = '/v1/chat/completions'): RecordedRequest {
  const bodyText = JSON.stringify(body);
  return {
    method: 'POST',
    path,
    query: '',
    rawHeaders: [['Authorization', 'Bearer the-key']],
    bodyBytes: Buffer.from(bodyText),
    bodyText,
    body: JSON.parse(bodyText),
  };
}

export const hi = { role: 'user', content: 'hi' };
export const tool = {
  type: 'function',
  function: { name: 'echo', description: 'Says it', parameters: { type: 'object' } },
};
export const call = (id: string) => ({
  id,
  type: 'function',
  function: { name: 'echo', arguments: '{"t":"a"}' },
});
export const result = (id: string) => ({ role: 'tool', tool_call_id: id, name: 'echo', content: `r-${id}` });
export const calls = (...ids: string[]) => ({ role: 'assistant', content: null, tool_calls: ids.map(call) });

export function read(wire: WireFormat, body: Json) {
  return wire.read(request({ model: 'm', messages: [hi], ...body }));
}

export function whole(wire: WireFormat, answer: ScriptedAnswer): Json {
  return wire.write(answer, read(wire, {})).body as Json;
}

export function stream(wire: WireFormat, answer: ScriptedAnswer, body: Json = {}) {
  return wire.write(answer, read(wire, { stream: true, ...body }));
}
