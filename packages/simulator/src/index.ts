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
export { openaiChat } from './wire/openai-chat.ts';
export type { RecordedRequest, SeenMessage, SeenRequest, WireFormat, WireReply } from './wire/wire-format.ts';
