import {
  type Adapter,
  type CheckedSettings,
  callWithin,
  type Exchange,
  exchangeFor,
  exchangeMetadata,
  type ModelRequest,
  type ModelResponse,
  tapFetch,
} from '@glassloop/core/adapter';
import type { GenerateContentRequest, GenerativeModel } from '@google/generative-ai';
import { toAdapterError } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { StreamFold } from './from-stream.ts';
import { type GoogleBody, toRequest } from './to-request.ts';

/** The one file that knows the SDK; see docs/adr/0007-google-sdk.md for how it is used and what would replace it. */
export function googleAdapter(settings: CheckedSettings): Adapter {
  const { model, secrets, timeoutMs } = settings;
  let client: Promise<GenerativeModel> | undefined;
  const connected = () => (client ??= connect(settings));

  async function chat(request: ModelRequest): Promise<ModelResponse> {
    const { signal, options, onDelta } = request;
    const { body, warnings } = toRequest(model, request);
    const exchange = exchangeFor(options);
    const line = fetchFor(settings, exchange);
    const metadata = () => exchangeMetadata(options, exchange, secrets);
    const fold = onDelta && new StreamFold(onDelta);
    try {
      const decoded = await callWithin({ provider: 'google', signal, timeoutMs }, async (limit) => {
        const sdk = await connected();
        limit.throwIfAborted();
        return fold === undefined
          ? whole(sdk, body, limit, line?.fetch)
          : streamed(sdk, body, limit, line?.fetch, fold, secrets);
      });
      return fromResponse(decoded, { whole: fold === undefined, secrets, warnings, metadata: metadata() });
    } catch (error) {
      signal?.throwIfAborted();
      const partial = fold?.text === '' ? undefined : fold?.text;
      throw toAdapterError(error, { ...line?.seen, secrets, partial, metadata: metadata() });
    }
  }

  return {
    name: 'google',
    model,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: true,
      images: true,
      cost: false,
    },
    chat,
    preview: (request) => toRequest(model, request),
  };
}

/** Headers that the SDK sets itself; it would refuse or double them. */
const RESERVED = /^(x-goog-api-key|x-goog-api-client|content-type)$/i;

async function connect({ model, apiKey, baseURL, headers }: CheckedSettings): Promise<GenerativeModel> {
  const { GoogleGenerativeAI } = await import('@google/generative-ai');
  const [, baseUrl, apiVersion] = /^(.*?)(?:\/(v\d\w*))?\/*$/.exec(baseURL ?? '') ?? [];
  return new GoogleGenerativeAI(apiKey).getGenerativeModel(
    { model },
    {
      customHeaders: Object.fromEntries(Object.entries(headers).filter(([name]) => !RESERVED.test(name))),
      ...(baseUrl ? { baseUrl } : {}),
      ...(apiVersion ? { apiVersion } : {}),
    },
  );
}

async function whole(
  sdk: GenerativeModel,
  body: GoogleBody,
  signal: AbortSignal,
  own: typeof fetch | undefined,
): Promise<unknown> {
  const { response } = await withFetch(own, () => sdk.generateContent(asSent(body), { signal }));
  return response;
}

async function streamed(
  sdk: GenerativeModel,
  body: GoogleBody,
  limit: AbortSignal,
  own: typeof fetch | undefined,
  fold: StreamFold,
  secrets: readonly string[],
): Promise<unknown> {
  // The SDK never cancels a stream that is left early, so the request gets a signal that we can end ourselves.
  const hangUp = new AbortController();
  limit.addEventListener('abort', () => hangUp.abort(), { once: true });
  try {
    const { stream, response } = await withFetch(own, () =>
      sdk.generateContentStream(asSent(body), { signal: hangUp.signal }),
    );
    // The SDK's own fold damages parallel calls, so it is never read; but it rejects on its own.
    response.catch(() => {});
    for await (const chunk of stream) {
      limit.throwIfAborted();
      fold.add(chunk, secrets);
    }
    return fold.end();
  } finally {
    hangUp.abort();
  }
}

/** A fresh object, because the SDK writes to it; its own defaults are unset, so that the wire shows what `preview` shows. */
function asSent(body: GoogleBody): GenerateContentRequest {
  return {
    generationConfig: undefined,
    safetySettings: undefined,
    ...body,
  } as unknown as GenerateContentRequest;
}

/** The fetch of one call and what it saw; undefined when the SDK's own will do. */
function fetchFor(
  settings: CheckedSettings,
  exchange: Exchange | undefined,
): { readonly fetch: typeof fetch; readonly seen: { headers?: Headers; cause?: unknown } } | undefined {
  if (settings.fetch === undefined && exchange === undefined) return undefined;
  const base = settings.fetch ?? globalThis.fetch;
  const inner = exchange === undefined ? base : tapFetch(base, exchange);
  const seen: { headers?: Headers; cause?: unknown } = {};
  return {
    seen,
    // The SDK hands out neither headers nor the cause of a failed connection.
    fetch: async (input, init) => {
      try {
        const response = await inner(input, init);
        seen.headers = response.headers;
        return response;
      } catch (error) {
        seen.cause = error;
        throw error;
      }
    },
  };
}

/**
 * Runs `call` with another global fetch. The SDK takes no fetch but reads the global one before its first await, so
 * the old one is back within the same tick and no other code can meet the new one.
 */
function withFetch<T>(own: typeof fetch | undefined, call: () => T): T {
  if (own === undefined) return call();
  const saved = globalThis.fetch;
  globalThis.fetch = own;
  try {
    return call();
  } finally {
    globalThis.fetch = saved;
  }
}
