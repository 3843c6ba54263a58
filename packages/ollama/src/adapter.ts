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
import type { ChatRequest } from 'ollama';
import { truncationWarning } from './context-window.ts';
import { type FailureContext, failureFor, toAdapterError } from './errors.ts';
import { fromResponse } from './from-response.ts';
import { AnswerFold } from './from-stream.ts';
import { asObject } from './json.ts';
import { type OllamaBody, toRequest } from './to-request.ts';
import { checkedLines } from './wire.ts';

const CAPABILITIES: Capabilities = {
  streaming: true,
  parallelToolCalls: true,
  requiredToolChoice: false,
  thinking: true,
  images: true,
  cost: false,
};

// The browser entry is the same client without one thing: the other one reads local files named in `images`.
let loading: Promise<typeof import('ollama/browser')> | undefined;
const sdk = () => (loading ??= import('ollama/browser'));

export function ollamaAdapter(settings: CheckedSettings): Adapter {
  const { model, secrets, timeoutMs } = settings;
  const host = settings.baseURL ?? 'http://localhost:11434';
  const headers = headersOf(settings);
  const context: FailureContext = { model, secrets };

  async function answer(
    request: ModelRequest,
    body: OllamaBody,
    fetchOfCall: typeof fetch,
    fold: AnswerFold | undefined,
  ) {
    return callWithin({ provider: 'ollama', signal: request.signal, timeoutMs }, async (signal) => {
      const { Ollama } = await sdk();
      const client = new Ollama({
        host,
        headers,
        fetch: checkedFetch(fetchOfCall, signal, body.stream, context),
      });
      // The SDK's types know fewer fields than the server.
      const params = body as unknown as ChatRequest;
      if (fold === undefined) {
        const whole: unknown = await client.chat({ ...params, stream: false });
        if (isFailure(whole)) throw failureFor({ text: JSON.stringify(whole) }, context);
        return fromResponse(whole);
      }
      try {
        for await (const line of await client.chat({ ...params, stream: true })) {
          if (!signal.aborted) fold.add(line);
        }
      } catch (error) {
        // How the SDK says that the stream ended properly, but without the line that says done.
        if (!(error instanceof Error && error.message.startsWith('Did not receive done'))) throw error;
      }
      if (!fold.hasBegun) throw new AdapterError('bad_response', 'ollama: the stream ended without a word');
      return fromResponse(fold.body(), { ended: fold.isDone });
    });
  }

  return {
    name: 'ollama',
    model,
    capabilities: CAPABILITIES,
    preview: (request) => toRequest(model, request),
    async chat(request): Promise<ModelResponse> {
      const { body, warnings: asked } = toRequest(model, request);
      const exchange = exchangeFor(request.options);
      const base = settings.fetch ?? fetch;
      const fold = request.onDelta === undefined ? undefined : new AnswerFold(quietly(request.onDelta));
      try {
        const response = await answer(
          request,
          body,
          exchange === undefined ? base : tapFetch(base, exchange),
          fold,
        );
        const cut = truncationWarning(body, response.usage.promptTokens);
        const warnings = cut === undefined ? asked : [...asked, cut];
        const metadata = exchangeMetadata(request.options, exchange, secrets);
        return {
          ...response,
          ...(warnings.length === 0 ? {} : { warnings }),
          ...(metadata === undefined ? {} : { metadata }),
        };
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        const metadata = exchangeMetadata(request.options, exchange, secrets);
        throw toAdapterError(error, context, {
          ...(fold?.partial === undefined ? {} : { partial: fold.partial }),
          ...(metadata === undefined ? {} : { metadata }),
        });
      }
    },
  };
}

function headersOf({ headers, apiKey }: CheckedSettings): Record<string, string> {
  if (apiKey === '') return { ...headers };
  const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'authorization');
  return { ...Object.fromEntries(others), authorization: `Bearer ${apiKey}` };
}

/**
 * The fetch of one call. The SDK takes no signal for a whole answer, prints to the console when a failure is not
 * JSON, and loses its headers; so the signal comes in here, and failures are read here.
 */
function checkedFetch(
  base: typeof fetch,
  signal: AbortSignal,
  stream: boolean,
  context: FailureContext,
): typeof fetch {
  return async (input, init) => {
    const response = await base(input, { ...init, signal });
    const { status, headers } = response;
    if (!response.ok) throw failureFor({ status, headers, text: await response.text() }, context);
    if (!stream || response.body === null) return response;
    const body = checkedLines(response.body, (line) => failureFor({ text: line }, context));
    // All that the SDK reads of a stream's response; a second Response would be one too many for each call.
    return { ok: true, status, headers, body } as Response;
  };
}

function isFailure(body: unknown): boolean {
  const error = asObject(body)?.['error'];
  return error !== undefined && error !== null;
}
