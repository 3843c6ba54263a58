import type { Delta } from '@glassloop/core';
import type { DeltaLine } from '../protocol.ts';
import type { Secrets } from './secrets.ts';

interface Channel {
  readonly channel: DeltaLine['channel'];
  readonly call?: number;
  callId?: string;
  name?: string;
  text: string;
}

/** The answer that is being received, as far as it came. Kept once for all readers. */
export class OpenAnswer {
  /** Grows when the pieces so far no longer count. */
  epoch = 0;
  round = 0;
  readonly #channels = new Map<string, Channel>();

  get channels(): ReadonlyMap<string, Channel> {
    return this.#channels;
  }

  add(delta: Delta, round: number): void {
    if (delta.kind === 'restart' || round !== this.round) this.clear();
    if (delta.kind === 'restart') return;
    this.round = round;
    if (delta.kind === 'tool_call') {
      const key = `args ${delta.index}`;
      const channel = this.#channels.get(key) ?? { channel: 'args' as const, call: delta.index, text: '' };
      if (delta.id !== undefined) channel.callId = delta.id;
      if (delta.name !== undefined) channel.name = delta.name;
      channel.text += delta.argumentsText;
      this.#channels.set(key, channel);
      return;
    }
    const channel = this.#channels.get(delta.kind) ?? { channel: delta.kind, text: '' };
    channel.text += delta.text;
    this.#channels.set(delta.kind, channel);
  }

  /** The step that says it whole was recorded, or the attempt failed. */
  clear(): void {
    if (this.#channels.size === 0) return;
    this.#channels.clear();
    this.epoch++;
  }
}

/**
 * How far one reader is with the open answer. It takes what is new when it is ready for it, so pieces join by
 * themselves, and a slow reader costs no memory.
 */
export class AnswerCursor {
  readonly #secrets: Secrets;
  #epoch = -1;
  readonly #sent = new Map<string, number>();

  constructor(secrets: Secrets) {
    this.#secrets = secrets;
  }

  /** Whether there may be something to take. */
  isBehind(answer: OpenAnswer): boolean {
    if (answer.channels.size === 0) return false;
    if (answer.epoch !== this.#epoch) return true;
    for (const [key, { text }] of answer.channels) if ((this.#sent.get(key) ?? -1) < text.length) return true;
    return false;
  }

  take(answer: OpenAnswer): DeltaLine[] {
    if (answer.epoch !== this.#epoch) {
      this.#epoch = answer.epoch;
      this.#sent.clear();
    }
    const lines: DeltaLine[] = [];
    for (const [key, channel] of answer.channels) {
      const before = this.#sent.get(key);
      const from = before ?? 0;
      const to = Math.max(from, this.#secrets.safeLength(channel.text));
      // A call is told at once, before its first argument.
      if (to === from && (before !== undefined || channel.channel !== 'args')) continue;
      this.#sent.set(key, to);
      const { text, ...facts } = channel;
      lines.push({
        type: 'delta',
        round: answer.round,
        ...facts,
        text: this.#secrets.clean(text.slice(from, to)),
        ...(before === undefined ? { reset: true } : {}),
      });
    }
    return lines;
  }
}
