import {
  type Adapter,
  AdapterError,
  type Capabilities,
  type CheckedSettings,
  callWithin,
  exchangeFor,
  exchangeMetadata,
  type ModelRequest,
  type ModelResponse,
  quietly,
  tapFetch,
} from '@glassloop/core/adapter';
import type { HTTPClient } from '@mistralai/mistralai/lib/http.js';
import { completionIn, statusFailure, toAdapterError, wholeCompletion } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { AnswerFold } from './from-stream.ts';
import { parsed } from './json.ts';
import { type MistralBody, toRequest } from './to-request.ts';

const CAPABILITIES: Capabilities = {
  streaming: true,
  parallelToolCalls: true,
  requiredToolChoice: true,
  thinking: true,
  images: true,
  cost: false,
};

// The SDK's transport without its schemas: those drop, rename and refuse what they do not know (docs/adr/0008-mistral-sdk.md).
let loading: Promise<Sdk> | undefined;
const sdk = () => {
  loading ??= load();
  return loading;
};

async function load() {
  const [{ HTTPClient }, { EventStream }, { SDK_METADATA, ServerList }] = await Promise.all([
    import('@mistralai/mistralai/lib/http.js'),
    import('@mistralai/mistralai/lib/event-streams.js'),
    import('@mistralai/mistralai/lib/config.js'),
  ]);
  return {
    HTTPClient,
    EventStream,
    ServerList,
    userAgent: `mistral-client-typescript/${SDK_METADATA.sdkVersion}`,
  };
}

type Sdk = Awaited<ReturnType<typeof load>>;

export function mistralAdapter(settings: CheckedSettings): Adapter {
  const { model, secrets, timeoutMs } = settings;
  let client: HTTPClient | undefined;
  // An abort reaches a connection only while its Request is alive, and the SDK lets go of it once the answer begins.
  const underWay = new Set<Request>();

  async function answer(
    request: ModelRequest,
    body: MistralBody,
    fetchOfCall: typeof fetch | undefined,
    fold: AnswerFold | undefined,
  ) {
    return callWithin({ provider: 'mistral', signal: request.signal, timeoutMs }, async (signal) => {
      const loaded = await sdk();
      const base = settings.fetch;
      client ??= new loaded.HTTPClient(base === undefined ? {} : { fetcher: base });
      const transport = fetchOfCall === undefined ? client : new loaded.HTTPClient({ fetcher: fetchOfCall });
      const sent = wireRequest(settings, loaded, body, signal);
      underWay.add(sent);
      try {
        const response = await transport.request(sent);
        const { status, headers } = response;
        if (!response.ok) throw statusFailure(status, headers, await response.text(), secrets);
        if (fold === undefined) return fromResponse(wholeCompletion(await response.text(), secrets));
        await readStream(response, loaded, fold, signal);
        return fromResponse(fold.body(), { ended: fold.isDone });
      } finally {
        underWay.delete(sent);
      }
    });
  }

  async function readStream(response: Response, { EventStream }: Sdk, fold: AnswerFold, signal: AbortSignal) {
    if (response.body === null || /json|html/.test(response.headers.get('content-type') ?? '')) {
      // A server that does not stream answers in one piece; a page or an error is found out here.
      fold.add(wholeCompletion(await response.text(), secrets));
      return;
    }
    const events = new EventStream(response.body, ({ data = '' }) => {
      const value = data.trim() === '[DONE]' ? undefined : completionIn(parsed(data), data, secrets);
      return { done: false, value: { data: value } };
    }).getReader();
    for (;;) {
      const { done, value } = await events.read();
      // Left open at the mark, not cancelled: the stream reads on to its end by itself, and the connection can be used again.
      if (done || value.data === undefined) break;
      if (!signal.aborted) fold.add(value.data);
    }
    if (!fold.hasBegun) throw new AdapterError('bad_response', 'mistral: the stream ended without a word');
  }

  return {
    name: 'mistral',
    model,
    capabilities: CAPABILITIES,
    preview: (request) => toRequest(model, request),
    async chat(request): Promise<ModelResponse> {
      const { body, warnings } = toRequest(model, request);
      const exchange = exchangeFor(request.options);
      const fold = request.onDelta === undefined ? undefined : new AnswerFold(quietly(request.onDelta));
      const tapped = exchange === undefined ? undefined : tapFetch(settings.fetch ?? fetch, exchange);
      try {
        const response = await answer(request, body, tapped, fold);
        const metadata = exchangeMetadata(request.options, exchange, secrets);
        return {
          ...response,
          ...(warnings.length === 0 ? {} : { warnings }),
          ...(metadata === undefined ? {} : { metadata }),
        };
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        const metadata = exchangeMetadata(request.options, exchange, secrets);
        throw toAdapterError(error, secrets).with({ partial: fold?.partial, metadata });
      }
    },
  };
}

function wireRequest(
  settings: CheckedSettings,
  { ServerList, userAgent }: Sdk,
  body: MistralBody,
  signal: AbortSignal,
): Request {
  const base = (settings.baseURL ?? ServerList.global).replace(/\/+$/, '').replace(/\/v1$/, '');
  return new Request(`${base}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      'user-agent': userAgent,
      ...lowerCased(settings.headers),
      'content-type': 'application/json',
      accept: body.stream ? 'text/event-stream' : 'application/json',
      authorization: `Bearer ${settings.apiKey}`,
    },
    body: JSON.stringify(body),
    signal,
  });
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
