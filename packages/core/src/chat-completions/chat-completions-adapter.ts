import type { Adapter, Capabilities, Metadata, ModelRequest, ModelResponse } from '../adapter/adapter.ts';
import { callWithin } from '../adapter/call-within.ts';
import { exchangeFor, exchangeMetadata, tapFetch } from '../adapter/raw.ts';
import { refuseUnsupported } from '../adapter/refuse.ts';
import type { CheckedSettings } from '../adapter/settings.ts';
import type { Dialect, Wire } from './dialect.ts';
import { completionIn, parsed, toAdapterError } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { ChatCompletionFold } from './from-stream.ts';
import { toRequest, type WireCache } from './to-request.ts';

/** The one method of an SDK of the OpenAI family that is used. With `stream: true` it resolves to an async iterable. */
export interface ChatClient {
  readonly chat: {
    readonly completions: {
      create(body: never, options: { signal: AbortSignal }): ChatCall;
    };
  };
}

/** What such an SDK returns at once. */
export interface ChatCall extends Promise<unknown> {
  withResponse(): Promise<{ readonly data: unknown; readonly response: Response }>;
}

/** What an adapter over such an SDK has to say for itself. */
export interface ChatHost {
  readonly dialect: Dialect;
  readonly settings: CheckedSettings;
  readonly capabilities: Capabilities;
  /** Loads the SDK and builds a client with its own retries off. Called once, and once more for each call that captures. */
  readonly connect: (fetch: typeof globalThis.fetch | undefined) => Promise<ChatClient>;
  /** Facts of an answer for `metadata`. */
  readonly facts?: (body: Wire) => Metadata | undefined;
  /** The answer in what the SDK threw, for a host that reports some answers as errors. `soFar`: streamed before it. */
  readonly answerIn?: (thrown: unknown, soFar: Wire | undefined) => Wire | undefined;
}

/** An adapter over an SDK of the OpenAI family: mapping, limits, capture and failures are the same for all of them. */
export function chatCompletionsAdapter(host: ChatHost): Adapter {
  const { dialect, settings, capabilities } = host;
  const { model, secrets, timeoutMs } = settings;
  const provider = dialect.name;
  const cache: WireCache = new WeakMap();
  let client: Promise<ChatClient> | undefined;

  function shared(): Promise<ChatClient> {
    client ??= host.connect(settings.fetch).catch((error) => {
      client = undefined;
      throw error;
    });
    return client;
  }

  async function chat(request: ModelRequest): Promise<ModelResponse> {
    refuseUnsupported(adapter, request);
    const { body, warnings } = toRequest(dialect, model, request, cache);
    const fold = request.onDelta === undefined ? undefined : new ChatCompletionFold(dialect, request.onDelta);
    const exchange = exchangeFor(request.options);
    const metadata = (facts?: Metadata) => exchangeMetadata(request.options, exchange, secrets, facts);
    try {
      return await callWithin({ provider, signal: request.signal, timeoutMs }, async (signal) => {
        // A call that captures has a client of its own, so that no other call goes through its tap.
        const sdk = await (exchange === undefined
          ? shared()
          : host.connect(tapFetch(settings.fetch ?? fetch, exchange)));
        const returned = await sent(sdk, body, fold, signal).catch((thrown) => {
          const answer = host.answerIn?.(thrown, fold?.body());
          if (answer === undefined) throw thrown;
          return answer;
        });
        const completion = completionIn(provider, returned, secrets);
        return fromResponse(dialect, completion, {
          streamed: fold !== undefined,
          warnings,
          metadata: metadata(host.facts?.(completion)),
        });
      });
    } catch (thrown) {
      if (request.signal?.aborted) throw request.signal.reason;
      const partial = fold?.text || undefined;
      throw toAdapterError(provider, thrown, secrets, { partial, metadata: metadata() });
    }
  }

  const adapter: Adapter = {
    name: provider,
    model,
    capabilities,
    chat,
    preview(request) {
      refuseUnsupported(adapter, request);
      return toRequest(dialect, model, request);
    },
  };
  return adapter;
}

/** What the SDK returns; of a stream, the body that it folds to. */
async function sent(
  sdk: ChatClient,
  body: Wire,
  fold: ChatCompletionFold | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const call = sdk.chat.completions.create(body as never, { signal });
  if (fold === undefined) return call;
  const { data, response } = await call.withResponse();
  if (/json|html/.test(response.headers.get('content-type') ?? '')) {
    // Not a stream: an error, a page, or a host that answers whole. The SDK would read it as an empty stream.
    const text = await response.text();
    const whole = parsed(text);
    fold.add(whole);
    return whole;
  }
  for await (const event of data as AsyncIterable<unknown>) {
    // SDKs end an aborted stream like a finished one; by then the call is settled and nobody listens.
    if (signal.aborted) break;
    fold.add(event);
  }
  return fold.body();
}
