/** The door for people who run loops. Adapter authors: "@glassloop/core/adapter". Trace files: "@glassloop/core/trace-file". */

export type {
  Adapter,
  AdapterSettings,
  Capabilities,
  Delta,
  FinishReason,
  Metadata,
  ModelRequest,
  ModelResponse,
} from './adapter/adapter.ts';
export { AdapterError, type AdapterErrorCode } from './adapter/adapter-error.ts';
export { augmentMessages } from './assemble.ts';
export type {
  Dropped,
  DropReason,
  Origin,
  RunAugmentation,
  Skill,
  SkillPolicy,
  Snippet,
  Source,
  TrustLevel,
} from './augmentation.ts';
export type {
  AssistantMessage,
  ContentPart,
  Message,
  ProviderState,
  SystemMessage,
  ToolCall,
  ToolMessage,
  UserMessage,
} from './message.ts';
export { type CallOptions, type ToolChoice, ToolOptions, type ToolOptionValues } from './options.ts';
export {
  type PartialResult,
  type RetryPolicy,
  type Run,
  RunError,
  type RunLimits,
  type RunResult,
} from './run.ts';
export { runLoop } from './run-loop.ts';
export {
  type AssembledStep,
  type EndStep,
  type ErrorStep,
  type FailureCode,
  messagesSent,
  type Range,
  type RequestStep,
  type ResponseStep,
  type RunSettings,
  type RunStep,
  type StopReason,
  type ToolStep,
} from './run-step.ts';
export { ToolError } from './run-tool.ts';
export { RunTrace, type RunTraceOptions } from './run-trace.ts';
export type { JsonSchema, JsonSchemaValidator, StandardSchema } from './schema.ts';
export {
  defineTool,
  TOOL_NAME,
  type Tool,
  type ToolContext,
  type ToolEffect,
  type ToolSpec,
} from './tool.ts';
export { addUsage, type Prices, type Usage, withCost } from './usage.ts';
