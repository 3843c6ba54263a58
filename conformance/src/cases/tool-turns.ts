import type { SeenMessage } from '@glassloop/simulator';
import type { Provider } from '../bench.ts';

type Seen<Role> = Extract<SeenMessage, { role: Role }>;

/** All calls in a request, in order. */
export function callsSeen(provider: Provider, index = 0): Seen<'assistant'>['calls'] {
  return provider
    .seen(index)
    .messages.flatMap((message) => (message.role === 'assistant' ? message.calls : []));
}

/** All tool results in a request, in order. */
export function resultsSeen(provider: Provider, index = 0): readonly Seen<'tool'>[] {
  return provider.seen(index).messages.filter((message) => message.role === 'tool');
}

/** All assistant turns in a request, in order. */
export function assistantsSeen(provider: Provider, index = 0): readonly Seen<'assistant'>[] {
  return provider.seen(index).messages.filter((message) => message.role === 'assistant');
}
