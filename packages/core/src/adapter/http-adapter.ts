import type { Adapter, Capabilities, FinishReason, ModelRequest, RequestPreview } from './adapter.ts';
import { AdapterError, blackOut, excerpt } from './adapter-error.ts';
import { AnswerFold, type AnswerPart } from './answer-fold.ts';
import { callWithin } from './call-within.ts';
import { type FailureInBody, postJson } from './post-json.ts';
import { exchangeFor, exchangeMetadata, tapFetch } from './raw.ts';
import { refuseUnsupported } from './refuse.ts';
import type { CheckedSettings } from './settings.ts';

/** A provider with an HTTP API of its own: what it is called, and how its JSON reads. */
export interface HttpProvider {
  readonly name: string;
  readonly settings: CheckedSettings;
  readonly capabilities: Capabilities;
  /** Where requests are posted. */
  readonly url: string;
  /** The headers with the key, and others the API wants. Headers of the settings cannot replace them. */
  readonly headers: Readonly<Record<string, string>>;
  /** ModelRequest → body, and what of the request it leaves out. Pure; `onDelta` is there when the call streams. */
  toBody(request: ModelRequest): RequestPreview;
  /**
   * What a whole answer says, or an event of a stream (`event`: its name, if it has one). `{}` for one that says
   * nothing of interest; undefined for what is no part of an answer, which ends the call with 'bad_response'.
   */
  fromBody(value: unknown, event: string | undefined): AnswerPart | undefined;
  /** The provider's words for why it stopped, and what they mean. A word that is not here is 'other'. */
  readonly finishReasons: { readonly [word: string]: FinishReason };
  /** The failure that a body or an event tells of; undefined when it tells of none. */
  failureIn(value: unknown, event: string | undefined): FailureInBody | undefined;
}

/**
 * An adapter over plain `fetch`: limits, streams, failures and capture are the same for all such APIs, and the provider
 * brings the mapping. An answer that comes whole and one that comes in events are read by the same function.
 */
export function httpAdapter(provider: HttpProvider): Adapter {
  const { name, settings, capabilities, url, finishReasons } = provider;
  const { model, secrets, timeoutMs } = settings;
  const headers = new Headers(settings.headers);
  headers.set('content-type', 'application/json');
  for (const [field, value] of Object.entries(provider.headers)) headers.set(field, value);

  const adapter: Adapter = {
    name,
    model,
    capabilities,
    preview(request) {
      refuseUnsupported(adapter, request);
      return provider.toBody(request);
    },
    async chat(request) {
      refuseUnsupported(adapter, request);
      const { signal, options } = request;
      const { body, warnings } = provider.toBody(request);
      const exchange = exchangeFor(options);
      const base = settings.fetch ?? fetch;
      const metadata = () => exchangeMetadata(options, exchange, secrets);
      const fold = new AnswerFold(request.onDelta);
      try {
        return await callWithin({ provider: name, signal, timeoutMs }, async (limit) => {
          const received = postJson({
            provider: name,
            url,
            headers,
            body,
            // Only a call that captures goes through a tap; any other gets the plain fetch.
            fetch: exchange === undefined ? base : tapFetch(base, exchange),
            signal: limit,
            secrets,
            failureIn: (value, event) => provider.failureIn(value, event),
          });
          for await (const { value, event, last } of received) {
            const part = value === undefined ? {} : provider.fromBody(value, event);
            if (part === undefined) throw noAnswer(name, value, secrets);
            fold.add(last ? { ...part, last } : part);
          }
          return fold.response({ finishReasons, warnings, metadata: metadata() });
        });
      } catch (error) {
        if (signal?.aborted) throw signal.reason;
        const failure = error instanceof AdapterError ? error : unreadable(name);
        throw failure.with({ partial: fold.text || undefined, metadata: metadata() });
      }
    },
  };
  return adapter;
}

function noAnswer(name: string, value: unknown, secrets: readonly string[]): AdapterError {
  const shown = excerpt(JSON.stringify(value) ?? 'nothing');
  return new AdapterError('bad_response', blackOut(`${name}: this is no answer: ${shown}`, secrets));
}

/** For what a mapping throws over an answer of another shape than it expects. */
function unreadable(name: string): AdapterError {
  return new AdapterError('bad_response', `${name}: the answer has another shape than expected`);
}
