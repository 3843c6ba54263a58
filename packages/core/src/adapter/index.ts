/** The door for adapter authors: the contract, and the pieces every adapter needs. */

export type {
  AssistantMessage,
  ContentPart,
  Message,
  ProviderState,
  ToolCall,
  ToolMessage,
} from '../message.ts';
export type { CallOptions, ToolChoice } from '../options.ts';
export type { JsonSchema } from '../schema.ts';
export type { ToolSpec } from '../tool.ts';
export type { Usage } from '../usage.ts';

export type {
  Adapter,
  AdapterSettings,
  Capabilities,
  Delta,
  FinishReason,
  Metadata,
  ModelRequest,
  ModelResponse,
  RequestPreview,
} from './adapter.ts';

export {
  AdapterError,
  type AdapterErrorCode,
  type AdapterErrorFacts,
  adapterErrorFor,
  blackOut,
  excerpt,
  networkFailure,
  type ProviderFailure,
  retryAfterMs,
} from './adapter-error.ts';
export { AnswerFold, type AnswerPart, type WholeCall } from './answer-fold.ts';
export { argumentsText, parseArguments, replayedArguments, replayedArgumentsText } from './arguments.ts';
export { newCallId, nineLetterId } from './call-id.ts';
export { type CallController, callWithin, DEFAULT_TIMEOUT_MS } from './call-within.ts';
export { count, sumOf, usageOf } from './counts.ts';
export { quietly } from './emit.ts';
export { given } from './given.ts';
export { type HttpProvider, httpAdapter } from './http-adapter.ts';
export { InlineThinkingStream, joinThinking, splitInlineThinking } from './inline-thinking.ts';
export { ListenerOnlyController } from './listener-only-controller.ts';
export { type FailureInBody, type JsonPost, postJson, type Received } from './post-json.ts';
export {
  type Exchange,
  exchangeFor,
  exchangeMetadata,
  rawResponseMetadata,
  tapFetch,
  type WireRequest,
} from './raw.ts';
export { eachEvent, readEvents, readLines, type ServerSentEvent } from './read-stream.ts';
export { refuseUnsupported } from './refuse.ts';
export { type KeywordRule, type RewrittenSchema, rewriteSchema } from './rewrite-schema.ts';
export { type CheckedSettings, checkSettings } from './settings.ts';
export { ToolCallFold, type ToolCallFragment, withIds } from './tool-call-fold.ts';
export { textOf, withoutBlanks } from './without-blanks.ts';
