import type { Adapter, Capabilities, Metadata, ModelRequest, ModelResponse } from '../adapter/adapter.ts';
import { callWithin } from '../adapter/call-within.ts';
import { ListenerOnlyController } from '../adapter/listener-only-controller.ts';
import { exchangeFor, exchangeMetadata, tapFetch } from '../adapter/raw.ts';
import { eachEvent } from '../adapter/read-stream.ts';
import { refuseUnsupported } from '../adapter/refuse.ts';
import type { CheckedSettings } from '../adapter/settings.ts';
import { isPlainObject } from '../check.ts';
import type { Dialect, Wire } from './dialect.ts';
import { completionIn, parsed, toAdapterError } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { ChatCompletionFold } from './from-stream.ts';
import { RequestTexts } from './request-text.ts';
import { toRequest } from './to-request.ts';

/** The one method of an SDK of the OpenAI family that is used. */
export interface ChatClient {
  post(
    path: string,
    options: {
      /** JSON text: printed by us, because a conversation that grows need not be printed anew in every round. */
      readonly body: string;
      readonly headers: { readonly 'content-type': 'application/json' };
      readonly stream: boolean;
      readonly signal: AbortSignal;
    },
  ): ChatCall;
}

/** What such an SDK returns at once. Rejects for every status but 2xx. */
export interface ChatCall {
  asResponse(): Promise<Response>;
}

/** What an adapter over such an SDK has to say for itself. */
export interface ChatHost {
  readonly dialect: Dialect;
  readonly settings: CheckedSettings;
  readonly capabilities: Capabilities;
  /** Where chat completions are, behind the client's base URL. Default `/chat/completions`. */
  readonly path?: string;
  /** Loads the SDK and builds a client with its own retries off. Called once, and once more for each call that captures. */
  readonly connect: (fetch: typeof globalThis.fetch | undefined) => Promise<ChatClient>;
  /** Facts of an answer for `metadata`. */
  readonly facts?: (body: Wire) => Metadata | undefined;
  /** The answer in what the SDK threw, for a host that reports some answers as errors. `soFar`: streamed before it. */
  readonly answerIn?: (thrown: unknown, soFar: Wire | undefined) => Wire | undefined;
}

/** An adapter over an SDK of the OpenAI family: mapping, limits, capture and failures are the same for all of them. */
export function chatCompletionsAdapter(host: ChatHost): Adapter {
  const { dialect, settings, capabilities, path = '/chat/completions' } = host;
  const { model, secrets, timeoutMs } = settings;
  const provider = dialect.name;
  const texts = new RequestTexts(dialect, model);
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
    const { text: body, warnings } = texts.textOf(request);
    const fold = request.onDelta === undefined ? undefined : new ChatCompletionFold(dialect, request.onDelta);
    const exchange = exchangeFor(request.options);
    const metadata = (facts?: Metadata) => exchangeMetadata(request.options, exchange, secrets, facts);
    const call = async (signal: AbortSignal): Promise<ModelResponse> => {
      // A call that captures has a client of its own, so that no other call goes through its tap.
      const sdk = await (exchange === undefined
        ? shared()
        : host.connect(tapFetch(settings.fetch ?? fetch, exchange)));
      let returned: unknown;
      try {
        const reply = sdk.post(path, { body, headers: JSON_TYPE, stream: fold !== undefined, signal });
        returned = await bodyOf(await reply.asResponse(), fold, signal);
      } catch (thrown) {
        returned = host.answerIn?.(thrown, fold?.body());
        if (returned === undefined) throw thrown;
      }
      const completion = completionIn(provider, returned, secrets);
      return fromResponse(dialect, completion, {
        streamed: fold !== undefined,
        warnings,
        metadata: metadata(host.facts?.(completion)),
      });
    };
    try {
      const limits = { provider, signal: request.signal, timeoutMs };
      return await callWithin(limits, call, new ListenerOnlyController());
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

const JSON_TYPE = { 'content-type': 'application/json' } as const;

/**
 * The body of an answer, or what a stream folds to. Read here and not by the SDK: its generators and the log lines that
 * it puts together, for nobody, are a third of the work of a streamed call, and it ends an aborted stream like a
 * finished one.
 */
async function bodyOf(
  response: Response,
  fold: ChatCompletionFold | undefined,
  signal: AbortSignal,
): Promise<unknown> {
  const { headers, body } = response;
  const type = headers.get('content-type') ?? '';
  if (fold === undefined || body === null || /json|html/.test(type)) {
    const text = await response.text();
    // JSON comes under other content types too; under its own it must be what it says.
    const whole: unknown = text !== '' && type.includes('json') ? JSON.parse(text) : parsed(text);
    // Not a stream, though one was asked for: an error, a page, or a host that answers whole.
    fold?.add(whole);
    return whole;
  }
  let isDone = false;
  await eachEvent(body, ({ event, data }) => {
    // By the time of an abort the call is settled, and nobody listens.
    if (isDone || signal.aborted) return;
    if (data.startsWith('[DONE]')) {
      isDone = true;
      return;
    }
    const value: unknown = JSON.parse(data);
    const error = isPlainObject(value) ? value['error'] : undefined;
    // In the shape of an SDK's error, so that there is one way to read a failure.
    if (event === 'error' || (error !== undefined && error !== null))
      throw { error: error ?? value, headers };
    fold.add(value);
  });
  return fold.body();
}
