import { nineLetterId } from '@glassloop/core/adapter';

/**
 * Call ids as Mistral takes them: exactly nine letters or digits. Made for one conversation: the same id always
 * becomes the same nine, in the call and in its result, and in every later request, because a conversation only grows;
 * two different ids never become the same.
 */
export function callIdsOfConversation(): (id: string) => string {
  const sent = new Map<string, string>();
  const taken = new Set<string>();
  return (id) => {
    const known = sent.get(id);
    if (known !== undefined) return known;
    let nine = nineLetterId(id);
    for (let attempt = 1; taken.has(nine); attempt++) nine = nineLetterId(`${id}#${attempt}`);
    sent.set(id, nine);
    taken.add(nine);
    return nine;
  };
}
