import type { Adapter, Delta, ModelRequest, ModelResponse } from '@glassloop/core/adapter';
import {
  type ScriptedReply,
  type ScriptedTurn,
  type SeenRequest,
  type SimulatedExchange,
  type Simulator,
  startSimulator,
  type WireFormat,
  type WireReply,
} from '@glassloop/simulator';
import type { Mode } from './case.ts';
import { fail, handled, NotApplicable } from './check.ts';
import type { Subject, SubjectSettings } from './subject.ts';

/** The key the suite gives; it may appear in one header and nowhere else. */
export const KEY = 'sk-conformance-canary-0123456789';

/** A request in parts; what is missing is filled in. A text is one user message. */
export type Ask = string | Partial<ModelRequest>;

/** What a case works with: providers that follow a script, and adapters that talk to them. */
export class Bench {
  readonly wire: WireFormat;
  readonly mode: Mode;
  readonly create: Subject['create'];
  readonly #simulators: Simulator[] = [];

  constructor(subject: Subject, mode: Mode) {
    this.wire = subject.wire;
    this.mode = mode;
    this.create = (settings) => subject.create(settings);
  }

  /** A provider that gives these answers, and an adapter for it. */
  async provider(...turns: readonly ScriptedTurn[]): Promise<Provider> {
    return this.providerWith({}, ...turns);
  }

  /** The same, with settings of the adapter. */
  async providerWith(
    settings: Partial<SubjectSettings>,
    ...turns: readonly ScriptedTurn[]
  ): Promise<Provider> {
    const simulator = await startSimulator({ wire: this.wire, turns });
    this.#simulators.push(simulator);
    return this.#connect(simulator, settings);
  }

  /** A provider that makes up an answer for each request, however many there are. */
  async responder(
    respond: (seen: SeenRequest) => ScriptedTurn,
    settings: Partial<SubjectSettings> = {},
  ): Promise<Provider> {
    const simulator = await startSimulator({ wire: this.wire, respond });
    this.#simulators.push(simulator);
    return this.#connect(simulator, settings);
  }

  #connect(simulator: Simulator, settings: Partial<SubjectSettings>): Provider {
    const adapter = this.create({ baseURL: simulator.baseURL, apiKey: KEY, ...settings });
    return new Provider(adapter, simulator, this.mode);
  }

  /** The bytes with which this wire says something, in this mode; found by asking for them once. */
  async replyFor(turn: ScriptedTurn, ask: Ask = 'Hi'): Promise<WireReply> {
    const provider = await this.provider(turn);
    await provider.ask(ask).catch(() => {});
    return provider.exchange(0).reply ?? fail('the simulator did not answer');
  }

  /** Ends everything. After a case that went well, throws if something was left unsaid or asked too often. */
  async close(force: boolean): Promise<void> {
    for (const simulator of this.#simulators) await simulator.close({ force });
  }
}

/** One simulator, one adapter. */
export class Provider {
  readonly adapter: Adapter;
  readonly simulator: Simulator;
  readonly mode: Mode;
  /** The pieces of the last streamed call. */
  deltas: Delta[] = [];

  constructor(adapter: Adapter, simulator: Simulator, mode: Mode) {
    this.adapter = adapter;
    this.simulator = simulator;
    this.mode = mode;
  }

  /** Calls the adapter, in the mode of the case. */
  ask(ask: Ask = 'Hi', mode: Mode = this.mode): Promise<ModelResponse> {
    const given = typeof ask === 'string' ? { messages: [{ role: 'user', content: ask } as const] } : ask;
    const deltas: Delta[] = [];
    this.deltas = deltas;
    const request: ModelRequest = {
      messages: [{ role: 'user', content: 'Hi' }],
      tools: [],
      options: {},
      ...(mode === 'streamed' ? { onDelta: (delta) => void deltas.push(delta) } : {}),
      ...given,
    };
    return handled(this.adapter.chat(request));
  }

  get exchanges(): readonly SimulatedExchange[] {
    return this.simulator.exchanges;
  }

  exchange(index: number): SimulatedExchange {
    return (
      this.exchanges[index] ??
      fail(`expected at least ${index + 1} request(s), the provider got ${this.exchanges.length}`)
    );
  }

  /** How the provider understands a request. */
  seen(index = 0): SeenRequest {
    const exchange = this.exchange(index);
    return (
      exchange.seen ??
      fail(
        `the provider would refuse the request: ${exchange.request.path} ${exchange.request.bodyText.slice(0, 400)}`,
      )
    );
  }

  /** The JSON body of a request. */
  body(index = 0): Readonly<Record<string, unknown>> {
    return this.exchange(index).request.body as Record<string, unknown>;
  }
}

/** The same bytes again, as a script; `change` may replace them. */
export function replay(
  reply: WireReply,
  change: (text: string) => string | readonly (string | Uint8Array)[] = (text) => text,
): ScriptedReply {
  const changed = change(reply.chunks.join(''));
  return {
    reply: {
      status: reply.status,
      headers: reply.headers,
      chunks: typeof changed === 'string' ? [changed] : changed,
    },
  };
}

/** Ends a case that cannot be asked of this wire format, by name and with the reason. */
export function notApplicable(reason: string): never {
  throw new NotApplicable(reason);
}
