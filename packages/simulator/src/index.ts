export { demoModel } from './demo-model.ts';
export {
  type SimulatedExchange,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from './simulator.ts';
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedConnection,
  ScriptedFailure,
  ScriptedReply,
  ScriptedTurn,
  ScriptedUsage,
} from './turn.ts';
export { anthropicMessages } from './wire/anthropic-messages.ts';
export { googleGenerateContent } from './wire/google-generate-content.ts';
export { groqChat } from './wire/groq-chat.ts';
export { mistralChat } from './wire/mistral-chat.ts';
export { ollamaChat } from './wire/ollama-chat.ts';
export { openaiChat } from './wire/openai-chat.ts';
export { openrouterChat } from './wire/openrouter-chat.ts';
export type { RecordedRequest, SeenMessage, SeenRequest, WireFormat, WireReply } from './wire/wire-format.ts';
export { wireFormats } from './wire/wire-formats.ts';
