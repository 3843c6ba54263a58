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
  networkFailure,
  refuseUnsupported,
  tapFetch,
} from '@glassloop/core/adapter';
import { fold, fromAnswer, toBody } from './parley-mapping.ts';

/** Models of Parley, over plain fetch. No `apiKey`: `PARLEY_API_KEY`. */
export function parley(given: AdapterSettings): Adapter {
  const settings = checkSettings('parley', given, 'PARLEY_API_KEY');
  const { model, secrets, timeoutMs } = settings;
  const url = `${settings.baseURL ?? 'https://api.parley.example'}/turn`;
  const headers = new Headers(settings.headers);
  headers.set('content-type', 'application/json');
  // Set last, so that no header of the settings replaces the key.
  headers.set('authorization', `Bearer ${settings.apiKey}`);

  const adapter: Adapter = {
    name: 'parley',
    model,
    capabilities: {
      streaming: true,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: false,
      images: false,
      cost: false,
    },
    preview(request) {
      refuseUnsupported(adapter, request);
      return toBody(model, request);
    },
    async chat(request) {
      refuseUnsupported(adapter, request);
      const { body, warnings } = toBody(model, request);
      const exchange = exchangeFor(request.options);
      const base = settings.fetch ?? fetch;
      // Only a call that captures goes through a tap; any other gets the plain fetch.
      const send = exchange === undefined ? base : tapFetch(base, exchange);
      let partial = '';
      try {
        return await callWithin({ provider: 'parley', signal: request.signal, timeoutMs }, async (signal) => {
          const init = { method: 'POST', headers, body: JSON.stringify(body), signal };
          const response = await send(url, init);
          const heard = (text: string) => {
            partial += text;
          };
          const answer = isStream(response)
            ? await fold(linesOf(response, secrets), { signal, heard, onDelta: request.onDelta })
            : problemless(await response.text(), response, secrets);
          return fromAnswer(answer, warnings, exchangeMetadata(request.options, exchange, secrets));
        });
      } catch (error) {
        if (request.signal?.aborted) throw request.signal.reason;
        throw failureOf(error, secrets).with({
          partial: partial === '' ? undefined : partial,
          metadata: exchangeMetadata(request.options, exchange, secrets),
        });
      }
    },
  };
  return adapter;
}

function isStream({ ok, headers }: Response): boolean {
  return ok && (headers.get('content-type') ?? '').includes('ndjson');
}

/** The value of each line of the body. */
async function* linesOf(response: Response, secrets: readonly string[]): AsyncGenerator<unknown> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of response.body!) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield problemless(line, response, secrets);
  }
  if (rest.trim() !== '') yield problemless(rest, response, secrets);
}

/** JSON text as its value. Throws for a problem of the provider, whatever the status, and for all that is no JSON. */
function problemless(text: string, response: Response, secrets: readonly string[]): unknown {
  let value: { problem?: { says?: string; code?: string; status?: number } } | null;
  try {
    value = JSON.parse(text);
  } catch {
    if (response.ok) {
      const shown = text.trim() === '' ? 'it is empty' : `it is no JSON: ${excerpt(text)}`;
      throw new AdapterError(
        'bad_response',
        blackOut(`parley: the answer cannot be read, ${shown}`, secrets),
      );
    }
    value = { problem: { says: text } };
  }
  const problem = value?.problem;
  if (problem === undefined && response.ok) return value;
  throw adapterErrorFor({
    provider: 'parley',
    status: response.ok ? problem?.status : response.status,
    message: problem?.says,
    words: [problem?.code],
    headers: response.headers,
    secrets,
  });
}

function failureOf(error: unknown, secrets: readonly string[]): AdapterError {
  if (error instanceof AdapterError) return error;
  return (
    networkFailure('parley', error, secrets) ??
    new AdapterError('bad_response', 'parley: the answer could not be read')
  );
}
