import {
  AdapterError,
  type AdapterErrorFacts,
  adapterErrorFor,
  blackOut,
  excerpt,
  networkFailure,
} from '@glassloop/core/adapter';
import { asObject, parsed } from './json.ts';

export interface FailureContext {
  readonly model: string;
  readonly secrets: readonly string[];
}

/** An error answer of the server: JSON with `error` (a text, or an object from a proxy), or any text. */
export function failureFor(
  answer: { readonly status?: number; readonly headers?: Headers; readonly text: string },
  { model, secrets }: FailureContext,
): AdapterError {
  const body = asObject(parsed(answer.text));
  const detail = asObject(body?.['error']) ?? body;
  const said = [body?.['error'], detail?.['message']].find((text) => typeof text === 'string');
  const message = typeof said === 'string' ? said : answer.text;
  const error = adapterErrorFor({
    provider: 'ollama',
    status: answer.status,
    message,
    // What fails under status 200 has no code; it is the server that failed.
    words: [detail?.['code'], detail?.['type'], answer.status === undefined ? 'server_error' : undefined],
    headers: answer.headers,
    secrets,
  });
  const lacking = /does not support (\w+)/.exec(message)?.[1];
  if (lacking !== undefined) {
    const without =
      lacking === 'tools'
        ? 'Choose a model that can call tools, or run without tools.'
        : lacking === 'thinking'
          ? 'Leave the thinking option out, or choose a model that can think.'
          : `Choose a model that supports ${lacking}.`;
    return restated(error, 'unsupported', { hint: `${model} does not support ${lacking}. ${without}` });
  }
  if (error.code === 'not_found') {
    return restated(error, 'not_found', {
      hint: `Run "ollama pull ${model}" on the server, or check the model id and the base URL.`,
    });
  }
  return error;
}

/** Whatever was thrown, as an AdapterError of our own that shows no secret, with what is known of the call. */
export function toAdapterError(
  error: unknown,
  { secrets }: FailureContext,
  facts: AdapterErrorFacts,
): AdapterError {
  const failure = error instanceof AdapterError ? error : sdkFailure(error, secrets);
  return restated(failure, failure.code, facts, secrets);
}

function sdkFailure(error: unknown, secrets: readonly string[]): AdapterError {
  const { name, message } = error instanceof Error ? error : { name: 'error', message: String(error) };
  if (name === 'SyntaxError') {
    return new AdapterError('bad_response', `ollama: the answer is not JSON: ${excerpt(message)}`);
  }
  const network = networkFailure('ollama', error, secrets);
  if (network === undefined) {
    return new AdapterError('network', `ollama: the call failed: ${excerpt(message)}`);
  }
  return /ECONNREFUSED/.test(network.message)
    ? restated(network, 'network', { hint: 'Start the server with "ollama serve", or check the base URL.' })
    : network;
}

/** The same error with other facts; the facts it already has stay, unless they are given. */
function restated(
  error: AdapterError,
  code: AdapterError['code'],
  facts: AdapterErrorFacts,
  secrets: readonly string[] = [],
): AdapterError {
  const { hint, status, requestId, retryAfterMs, partial, metadata } = error;
  const own = { hint, status, requestId, retryAfterMs, partial, metadata };
  return new AdapterError(code, blackOut(error.message, secrets), { ...own, ...facts });
}
