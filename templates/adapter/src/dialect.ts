import { nineLetterId } from '@glassloop/core/adapter';
import type { Dialect } from '@glassloop/core/chat-completions';

/** What __Pascal__ does its own way; everything else is as at OpenAI. */
export const __camel__Dialect: Dialect = {
  name: '__name__',
  maxTokensField: () => 'max_tokens',
  // OpenAI's limit, which most hosts have taken over; ids of other adapters may be longer.
  callId: (id) => (id.length <= 40 ? id : `call_${nineLetterId(id)}`),
};
