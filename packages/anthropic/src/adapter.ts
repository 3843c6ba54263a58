import type Anthropic from '@anthropic-ai/sdk';
import {
  type Adapter,
  type CheckedSettings,
  callWithin,
  type Exchange,
  eachEvent,
  exchangeFor,
  exchangeMetadata,
  ListenerOnlyController,
  type ModelRequest,
  type ModelResponse,
  tapFetch,
} from '@glassloop/core/adapter';
import { errorInBody, notAnAnswer, toAdapterError } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { MessageFold } from './from-stream.ts';
import { asksForSampling, toRequest } from './to-request.ts';

/** What the adapter is written for. */
const API_VERSION = '2026-10-21';
/** The last version that takes temperature, top_p and top_k; newer ones refuse them on every model. */
const API_VERSION_WITH_SAMPLING = '2023-06-01';

/** The only file with I/O. The SDK is loaded on the first call; one client serves all calls but those that capture. */
export function createAdapter(settings: CheckedSettings): Adapter {
  const { model, timeoutMs, secrets } = settings;
  const pinsVersion = Object.keys(settings.headers).some(
    (name) => name.toLowerCase() === 'anthropic-version',
  );
  let shared: Promise<Anthropic> | undefined;
  const sharedClient = () => {
    shared ??= newClient();
    return shared;
  };

  async function newClient(exchange?: Exchange): Promise<Anthropic> {
    const { default: Client } = await import('@anthropic-ai/sdk');
    const base = settings.fetch ?? globalThis.fetch;
    return new Client({
      apiKey: settings.apiKey,
      baseURL: settings.baseURL ?? 'https://api.anthropic.com',
      defaultHeaders: headersOf(settings),
      // Ours ends every call; the SDK's covers only the wait for the first byte, and must be the longer one.
      timeout: Math.max(600_000, timeoutMs + 1000),
      maxRetries: 0,
      openTelemetry: false,
      logLevel: 'off',
      ...(exchange !== undefined ? { fetch: tapFetch(base, exchange) } : settings.fetch && { fetch: base }),
    });
  }

  async function chat(request: ModelRequest): Promise<ModelResponse> {
    const { options, signal, onDelta } = request;
    const { body, warnings } = toRequest(request, model);
    const exchange = exchangeFor(options);
    const fold = onDelta === undefined ? undefined : new MessageFold(onDelta);
    const answer = (body: unknown, ended: boolean): ModelResponse =>
      fromResponse(body, {
        secrets,
        warnings,
        ended,
        metadata: exchangeMetadata(options, exchange, secrets),
      });
    try {
      const call = async (within: AbortSignal) => {
        const client = await (exchange === undefined ? sharedClient() : newClient(exchange));
        // `messages.create` would do the same, but also print to the console for some models and refuse big max_tokens.
        const reply = client.post<unknown>('/v1/messages', {
          body,
          signal: within,
          stream: fold !== undefined,
          ...(asksForSampling(body) &&
            !pinsVersion && { headers: { 'anthropic-version': API_VERSION_WITH_SAMPLING } }),
        });
        // The answer is read here: the SDK's generators cost as much as the rest of a streamed call.
        const response = await reply.asResponse();
        const type = response.headers.get('content-type') ?? '';
        if (fold === undefined || response.body === null || /json|html/.test(type))
          return answer(parsed(await response.text()), true);
        await eachEvent(response.body, ({ data }) => {
          // By the time of an abort the call is settled, and nobody listens.
          if (within.aborted) return;
          const event: unknown = JSON.parse(data);
          const error = errorInBody(event, secrets, response.headers);
          if (error !== undefined) throw error;
          fold.add(event);
        });
        if (!fold.received) throw notAnAnswer('', secrets);
        return answer(fold.body(), fold.ended);
      };
      const limits = { provider: 'anthropic', signal, timeoutMs };
      return await callWithin(limits, call, new ListenerOnlyController());
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw toAdapterError(error, {
        secrets,
        partial: fold?.partial(),
        metadata: exchangeMetadata(options, exchange, secrets),
      });
    }
  }

  return {
    name: 'anthropic',
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
    preview: (request) => toRequest(request, model),
  };
}

/**
 * The version and the key, with the caller's headers over all but the key. The SDK also sends what it finds in
 * ANTHROPIC_CUSTOM_HEADERS; null takes that out, so that the same settings send the same bytes everywhere.
 */
function headersOf({ apiKey, headers }: CheckedSettings): Record<string, string | null> {
  const result: Record<string, string | null> = {};
  for (const line of (globalThis.process?.env['ANTHROPIC_CUSTOM_HEADERS'] ?? '').split('\n')) {
    const name = line.slice(0, Math.max(0, line.indexOf(':'))).trim();
    if (name !== '') result[name] = null;
  }
  result['anthropic-version'] = API_VERSION;
  result['authorization'] = `Bearer ${apiKey}`;
  for (const [name, value] of Object.entries(headers)) {
    if (name.toLowerCase() !== 'authorization') result[name.toLowerCase()] = value;
  }
  return result;
}

/** A page, or what else is no JSON, stays text. */
function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
