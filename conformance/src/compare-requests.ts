import { isDeepStrictEqual } from 'node:util';
import { splitInlineThinking } from '@glassloop/core/adapter';
import type { SeenMessage, SeenRequest, WireFormat } from '@glassloop/simulator';
import type { Difference } from './replay-exchange.ts';

/** Where two requests of the same conversation differ in meaning; `turn` names it in the differences. */
export function compareRequests(
  turn: string,
  recorded: SeenRequest,
  ours: SeenRequest,
  wire: WireFormat,
): Difference[] {
  const differences: Difference[] = [];
  const compare = (field: string, expected: unknown, actual: unknown) => {
    if (!isDeepStrictEqual(expected, actual))
      differences.push({ field: `${turn}: ${field}`, expected, actual });
  };
  const said = withoutAsides(recorded.messages);
  const sent = withoutAsides(ours.messages);
  compare('system', recorded.system.join('\n').trim(), ours.system.join('\n').trim());
  const roles = (messages: readonly SeenMessage[]) => messages.map(({ role }) => role).join(' ');
  compare('roles', roles(said), roles(sent));
  if (differences.length > 0) return differences;
  for (const [index, expected] of said.entries()) {
    const actual = sent[index] as SeenMessage;
    const at = `messages[${index}]`;
    const text = (message: SeenMessage) =>
      meaning(message.role === 'assistant' ? splitInlineThinking(message.text).content : message.text);
    compare(`${at}.text`, text(expected), text(actual));
    if (expected.role === 'assistant' && actual.role === 'assistant') {
      const calls = (list: typeof expected.calls) =>
        list.map(({ id, name, arguments: value }, place) => ({
          id: wire.can.callIds && expected.calls[place]?.id !== undefined ? id : undefined,
          name,
          arguments: typeof value === 'string' ? meaning(value) : value,
        }));
      compare(`${at}.calls`, calls(expected.calls), calls(actual.calls));
      // A client may have lost state that ours keeps; what it did send back must be among ours.
      const kept = actual.opaque.map(sameBase64);
      const lost = expected.opaque.filter((token) => !kept.includes(sameBase64(token)));
      compare(`${at}.opaque`, [], lost);
    }
    if (expected.role === 'tool' && actual.role === 'tool' && wire.can.callIds) {
      compare(`${at}.callId`, expected.callId, actual.callId);
    }
  }
  return differences;
}

/** Some clients put words of their own behind tool results, such as the files that a tool returned. */
function withoutAsides(messages: readonly SeenMessage[]): SeenMessage[] {
  return messages.filter(({ role }, index) => role !== 'user' || messages[index - 1]?.role !== 'tool');
}

/** The same bytes, in whichever base64 alphabet a client writes them. */
function sameBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '');
}

/** A text that is JSON means its value, however it is spelled. */
function meaning(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text.trim();
  }
}
