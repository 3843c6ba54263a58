/**
 * The chat-completions dialect, mapped once for every host that speaks it. No SDK: an adapter brings its own client,
 * and says in a `Dialect` what its host does differently. The mapping (to-request, from-response, from-stream) is pure.
 */

export {
  type ChatCall,
  type ChatClient,
  type ChatHost,
  chatCompletionsAdapter,
} from './chat-completions-adapter.ts';
export { clientHeaders } from './client-headers.ts';
export type { Dialect, DialectOption, ThinkingFields, Wire } from './dialect.ts';
export { completionIn, type Failure, failureOf, toAdapterError } from './errors.ts';
export { fromResponse } from './from-response.ts';
export { ChatCompletionFold } from './from-stream.ts';
export { RequestTexts } from './request-text.ts';
export { type ChatCompletionRequest, toRequest } from './to-request.ts';
