export type { SimulatedExchange, Simulator, SimulatorOptions } from './simulator.ts';
export type {
  ScriptedAnswer,
  ScriptedCall,
  ScriptedConnection,
  ScriptedFailure,
  ScriptedReply,
  ScriptedTurn,
  ScriptedUsage,
} from './turn.ts';
export type { RecordedRequest, SeenMessage, SeenRequest, WireFormat, WireReply } from './wire/wire-format.ts';
