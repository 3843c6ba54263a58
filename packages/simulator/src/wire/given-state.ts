import { headerOf } from './answer-parts.ts';
import type { RecordedRequest, SeenRequest } from './wire-format.ts';

/**
 * Which calls went out together with opaque state, by server, so that a client that loses the state is refused as the
 * provider would. A wire format is one object for all simulators; the request's host tells them apart.
 */
export class GivenState {
  readonly #requests = new WeakMap<SeenRequest, RecordedRequest>();
  readonly #given = new Map<string, Set<string>>();

  /** Notes which request `seen` was read from. */
  noteRequest(seen: SeenRequest, request: RecordedRequest): SeenRequest {
    this.#requests.set(seen, request);
    return seen;
  }

  /** undefined for a `seen` that was not read from a request. */
  requestOf(seen: SeenRequest): RecordedRequest | undefined {
    return this.#requests.get(seen);
  }

  /** `withState` false forgets: the same call has now come without. */
  noteCall(
    seen: SeenRequest,
    call: { readonly name: string; readonly arguments: unknown },
    withState: boolean,
  ): void {
    const request = this.#requests.get(seen);
    if (request === undefined) return;
    const host = hostOf(request);
    const keys = this.#given.get(host) ?? new Set();
    this.#given.set(host, keys);
    const key = keyOf(seen.messages.length, call);
    if (withState) keys.add(key);
    else keys.delete(key);
  }

  /** Whether the call that follows the first `position` neutral messages was given out with state. */
  cameWithState(
    request: RecordedRequest,
    position: number,
    call: { readonly name: string; readonly arguments: unknown },
  ): boolean {
    return this.#given.get(hostOf(request))?.has(keyOf(position, call)) ?? false;
  }
}

function hostOf(request: RecordedRequest): string {
  return headerOf(request.rawHeaders, 'host') ?? '';
}

function keyOf(position: number, call: { readonly name: string; readonly arguments: unknown }): string {
  return `${position} ${call.name} ${JSON.stringify(call.arguments)}`;
}
