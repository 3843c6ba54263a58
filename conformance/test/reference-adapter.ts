import {
  type Adapter,
  AdapterError,
  type AdapterSettings,
  adapterErrorFor,
  blackOut,
  callWithin,
  checkSettings,
  excerpt,
  exchangeFor,
  exchangeMetadata,
  InlineThinkingStream,
  type Metadata,
  type ModelRequest,
  type ModelResponse,
  networkFailure,
  quietly,
  refuseUnsupported,
  tapFetch,
} from '@glassloop/core/adapter';
import { toBody } from './reference-request.ts';
import { fromBody } from './reference-response.ts';
import { eventsOf, fold } from './reference-stream.ts';

/** What a mutant may replace, one function at a time. */
export interface Parts {
  readonly name: string;
  readonly capabilities: Adapter['capabilities'];
  readonly toBody: typeof toBody;
  readonly fromBody: typeof fromBody;
  readonly fold: typeof fold;
  readonly exchangeFor: typeof exchangeFor;
  readonly tapFetch: typeof tapFetch;
  readonly exchangeMetadata: typeof exchangeMetadata;
  readonly callWithin: typeof callWithin;
  readonly headers: (key: string, custom: Readonly<Record<string, string>>) => Record<string, string>;
  readonly failure: typeof failure;
}

const PARTS: Parts = {
  name: 'reference',
  capabilities: {
    streaming: true,
    parallelToolCalls: true,
    requiredToolChoice: true,
    thinking: true,
    images: true,
    cost: true,
  },
  toBody,
  fromBody,
  fold,
  exchangeFor,
  tapFetch,
  exchangeMetadata,
  callWithin,
  headers: (key, custom) => ({
    ...lowered(custom),
    'content-type': 'application/json',
    authorization: `Bearer ${key}`,
  }),
  failure,
};

/** The smallest adapter that passes the suite: chat completions over plain fetch. */
export function reference(given: AdapterSettings, changed: Partial<Parts> = {}): Adapter {
  const parts = { ...PARTS, ...changed };
  const { name } = parts;
  const settings = checkSettings(name, given, 'REFERENCE_API_KEY');
  const { model, secrets, timeoutMs } = settings;
  const url = `${settings.baseURL ?? 'https://api.example.com/v1'}/chat/completions`;
  const headers = parts.headers(settings.apiKey, settings.headers);

  const adapter: Adapter = {
    name,
    model,
    capabilities: parts.capabilities,
    preview: (request) => {
      refuseUnsupported(adapter, request);
      return parts.toBody(model, request, name);
    },
    async chat(request) {
      refuseUnsupported(adapter, request);
      const { body, warnings } = parts.toBody(model, request, name);
      const exchange = parts.exchangeFor(request.options);
      const base = settings.fetch ?? fetch;
      const send = exchange === undefined ? base : parts.tapFetch(base, exchange);
      let received = '';
      try {
        const answer = await parts.callWithin(
          { provider: name, signal: request.signal, timeoutMs },
          async (signal) => {
            const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
            const response = await send(url, init);
            if (!response.ok || !streams(response, request))
              return wholeBody(response, await response.text());
            const pieces = watching(request, signal);
            return parts.fold(eventsOf(response.body!), (kind, text, call) => {
              if (kind === 'text') received += text;
              pieces(kind, text, call);
            });
          },
        );
        const metadata = parts.exchangeMetadata(request.options, exchange, secrets);
        return parts.fromBody(answer, { name, warnings, metadata });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw parts.failure(error, name, secrets, {
          partial: received === '' ? undefined : received,
          metadata: parts.exchangeMetadata(request.options, exchange, secrets),
        });
      }
    },
  };
  return adapter;
}

/** Thrown inside, so that there is one place that makes AdapterErrors. */
export class ProviderSaid extends Error {
  readonly body: { readonly error?: unknown };
  readonly response: Response | undefined;

  constructor(body: { readonly error?: unknown }, response?: Response) {
    super('the provider reported an error');
    this.body = body;
    this.response = response;
  }
}

function wholeBody(response: Response, text: string): unknown {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    if (response.ok)
      throw new AdapterError('bad_response', `reference: the answer is not JSON: ${excerpt(text)}`);
    body = { error: { message: excerpt(text) } };
  }
  if (!response.ok || (body as { error?: unknown } | null)?.error != null)
    throw new ProviderSaid(body as object, response);
  return body;
}

function streams(response: Response, request: ModelRequest): boolean {
  return (
    request.onDelta !== undefined &&
    (response.headers.get('content-type') ?? '').includes('text/event-stream')
  );
}

type Piece = (kind: 'text' | 'thinking' | 'tool_call', text: string, call?: object) => void;

/** Hands pieces on until the call has settled, with inline thoughts told apart. */
function watching({ onDelta }: ModelRequest, signal: AbortSignal): Piece {
  const emit = quietly(onDelta!);
  const inline = new InlineThinkingStream((kind, text) => emit({ kind, text }));
  return (kind, text, call) => {
    if (signal.aborted) return;
    if (kind === 'text') return inline.push(text);
    inline.end();
    if (kind === 'thinking') emit({ kind, text });
    else emit({ kind, index: 0, argumentsText: text, ...call });
  };
}

export interface FailureFacts {
  readonly partial: string | undefined;
  readonly metadata: Metadata | undefined;
}

export function failure(
  error: unknown,
  name: string,
  secrets: readonly string[],
  facts: FailureFacts,
): AdapterError {
  if (error instanceof AdapterError) {
    return new AdapterError(error.code, blackOut(error.message, secrets), { ...error, ...facts });
  }
  if (error instanceof ProviderSaid) {
    const said = (error.body.error ?? {}) as { message?: unknown; code?: unknown; type?: unknown };
    const numeric = typeof said.code === 'number' ? said.code : undefined;
    const status = error.response === undefined || error.response.ok ? numeric : error.response.status;
    const message = typeof said.message === 'string' ? said.message : JSON.stringify(error.body.error);
    const words = [said.code, said.type];
    return adapterErrorFor(
      { provider: name, status, message, words, headers: error.response?.headers, secrets },
      facts,
    );
  }
  const broken = networkFailure(name, error, secrets);
  if (broken !== undefined) return new AdapterError(broken.code, broken.message, { ...broken, ...facts });
  return new AdapterError('bad_response', `${name}: the answer could not be read`, facts);
}

function lowered(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

export type { ModelResponse };
