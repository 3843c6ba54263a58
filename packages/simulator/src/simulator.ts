import type { ScriptedTurn } from './turn.ts';
import type { RecordedRequest, SeenRequest, WireFormat, WireReply } from './wire/wire-format.ts';

export interface SimulatorOptions {
  readonly wire: WireFormat;
  /** Answered in order. A request too many gets status 500 and makes `close` throw; so does a turn left over. */
  readonly turns?: readonly ScriptedTurn[];
  /** Instead of turns: makes an answer for each request, such as `demoModel`. */
  readonly respond?: (seen: SeenRequest, request: RecordedRequest) => ScriptedTurn | Promise<ScriptedTurn>;
}

export interface SimulatedExchange {
  readonly request: RecordedRequest;
  /** undefined when the wire format could not read it. */
  readonly seen: SeenRequest | undefined;
  /** What was sent back, before any connection fault; undefined for a hang before it. */
  readonly reply: WireReply | undefined;
  /** Settles when the exchange is over: true when the client closed the connection before the reply was complete. */
  readonly clientLeft: Promise<boolean>;
}

export interface Simulator {
  /** `http://127.0.0.1:PORT`, without a path. */
  readonly origin: string;
  /** `origin` plus the format's base path: what an adapter takes as `baseURL`. */
  readonly baseURL: string;
  readonly exchanges: readonly SimulatedExchange[];
  /** Adds turns to the script. */
  script(...turns: readonly ScriptedTurn[]): void;
  /** Ends all connections. Throws an Error that lists unexpected requests and unused turns, unless `force`. */
  close(options?: { readonly force?: boolean }): Promise<void>;
}

export declare function startSimulator(options: SimulatorOptions): Promise<Simulator>;
