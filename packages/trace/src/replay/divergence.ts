import type { Message, ModelRequest, RunSettings, ToolSpec } from '@glassloop/core';
import { type Difference, differencesBetween } from '../diff/difference.ts';
import type { RecordedAttempt } from './recording.ts';

/** The first thing the new run did that the recorded run did not do. */
export interface Divergence extends Difference {
  /** From 1. */
  readonly round: number;
  /** From 1: the how-many-eth try of this round. */
  readonly attempt: number;
  /** What differs. `request`: one run asked and the other did not; `wire`: the bytes an adapter makes of the same request. */
  readonly where: 'settings' | 'tools' | 'message' | 'request' | 'wire' | 'response';
  /** Index of the message in the request, for `where: 'message'`; `path` is then inside it. */
  readonly message?: number;
  /** One sentence for people. */
  readonly sentence: string;
}

type Facts = Omit<Divergence, 'sentence'>;

/** A divergence with its sentence. */
export function divergence(facts: Facts): Divergence {
  const { round, attempt, where, message, path } = facts;
  const what = {
    settings: path,
    tools: path,
    message: `message ${message}${path === '' ? '' : `, ${path}`}`,
    request: 'the request itself',
    wire: `the request as sent, ${path}`,
    response: `the answer that the adapter reads, ${path}`,
  }[where];
  const tries = attempt > 1 ? `, attempt ${attempt}` : '';
  const values = `${'old' in facts ? shortened(facts.old) : 'not there'} → ${'new' in facts ? shortened(facts.new) : 'not there'}`;
  return { ...facts, sentence: `Round ${round}${tries} differs in ${what}: ${values}` };
}

const SHOWN_LENGTH = 120;

/** A value in a sentence. */
function shortened(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)}… (${text.length} characters)`;
}

/** The first difference of what was asked of two runs, as far as it is part of a request. */
export function settingsDivergence(before: RunSettings, after: RunSettings): Divergence | undefined {
  // The number of rounds is not sent; it shows in the first round that one of the runs no longer has.
  const sent = ({ adapter, model, options }: RunSettings) => ({ adapter, model, options });
  const [first] = differencesBetween(sent(before), sent(after));
  return first && divergence({ round: 1, attempt: 1, where: 'settings', ...first });
}

/** Compares the requests of a run with the recorded ones; messages that were the same before are not compared again. */
export class RequestComparison {
  readonly #toolsOffered = new Map<string, ToolSpec>();
  #same = 0;

  constructor(tools: readonly ToolSpec[]) {
    for (const tool of tools) this.#toolsOffered.set(tool.name, tool);
  }

  first(recorded: RecordedAttempt, request: ModelRequest): Divergence | undefined {
    const at = { round: recorded.round, attempt: recorded.request.attempt };
    const message = this.#firstMessage(recorded.messages, request.messages);
    if (message !== undefined) return divergence({ ...at, where: 'message', ...message });
    const before = recorded.request.toolsOffered.map((name) => this.#toolsOffered.get(name) ?? { name });
    const [tool] = differencesBetween(before, request.tools, 'tools');
    return tool && divergence({ ...at, where: 'tools', ...tool });
  }

  #firstMessage(
    before: readonly Message[],
    after: readonly Message[],
  ): (Difference & { readonly message: number }) | undefined {
    for (let index = this.#same; index < Math.max(before.length, after.length); index++) {
      const [first] = differencesBetween(before[index], after[index]);
      if (first !== undefined) return { ...first, message: index };
    }
    this.#same = Math.min(before.length, after.length);
    return undefined;
  }
}
