import { exchangeFor, exchangeMetadata } from '@glassloop/core/adapter';
import { failure, reference } from '../reference-adapter.ts';
import {
  answers,
  calls,
  fetches,
  type Loose,
  type Mutant,
  mutant,
  parts,
  sends,
  settingsOf,
} from './mutant.ts';

const captures = (request: Loose) => request.options._capture_raw === true;

/** Mutants that capture too much, too little, or at the cost of those who do not. */
export const captureMutants: readonly Mutant[] = [
  mutant(
    'capture.request-bytes',
    'leaks the directive into the body',
    sends((body, { options }) => {
      if ('_capture_raw' in options) body._capture_raw = options._capture_raw;
    }),
  ),
  mutant(
    'capture.request-bytes',
    'adds a header when it captures',
    calls((inner, request, settings) =>
      captures(request)
        ? reference({ ...settingsOf(settings), headers: { ...settings.headers, 'x-trace': '1' } }).chat(
            request,
          )
        : inner.chat(request),
    ),
  ),
  mutant(
    'capture.only-true',
    'captures whenever the directive is not undefined',
    parts({
      exchangeFor: (options) => (options._capture_raw !== undefined ? {} : undefined),
      exchangeMetadata: (options, exchange, secrets, existing) =>
        exchangeMetadata(
          options._capture_raw === undefined ? options : { ...options, _capture_raw: true },
          exchange,
          secrets,
          existing,
        ),
    }),
    { also: ['capture.nothing-injected'] },
  ),
  mutant(
    'capture.results',
    'answers without the model name unless it captures',
    answers(({ model, ...response }, request) => (captures(request) ? { ...response, model } : response)),
  ),
  mutant(
    'capture.results',
    'orders keys differently when it captures',
    answers(({ message, ...response }, request) =>
      captures(request) ? { ...response, message } : { message, ...response },
    ),
  ),
  mutant(
    'capture.metadata-absent',
    'hands over empty metadata',
    answers((response) => ({ ...response, metadata: response.metadata ?? {} })),
    { also: ['capture.results'] },
  ),
  mutant(
    'capture.raw',
    'captures what it understood, not what was sent',
    changesRaw(({ zz_unknown: _, ...known }) => known),
  ),
  mutant(
    'capture.raw',
    'captures a sorted copy',
    changesRaw((body) => Object.fromEntries(Object.entries(body).sort())),
  ),
  mutant(
    'capture.wire',
    'shows a request that it printed again',
    answers((response) => {
      const wire = response.metadata?._wire;
      if (wire === undefined) return response;
      return {
        ...response,
        metadata: {
          ...response.metadata,
          _wire: { ...wire, body: JSON.stringify(JSON.parse(wire.body), null, 1) },
        },
      };
    }),
  ),
  mutant(
    'capture.nothing-injected',
    'clones every response',
    fetches((base) => async (input, init) => {
      const response = await base(input, init);
      await response.clone().text();
      return response;
    }),
  ),
  mutant(
    'capture.nothing-injected',
    'wraps every response',
    fetches((base) => async (input, init) => {
      const response = await base(input, init);
      const text = response.text.bind(response);
      return Object.defineProperty(response, 'text', { value: () => text(), configurable: true });
    }),
  ),
  mutant(
    'capture.nothing-injected',
    'makes a new response of every response',
    fetches((base) => async (input, init) => {
      const { body, status, headers } = await base(input, init);
      return new Response(body, { status, headers });
    }),
  ),
  mutant(
    'capture.per-call',
    'goes on capturing after a call that did',
    (settings) => {
      let sticky = false;
      const on = (options: Loose) => {
        sticky ||= options._capture_raw === true;
        return sticky ? { ...options, _capture_raw: true as const } : options;
      };
      return parts({
        exchangeFor: (options) => exchangeFor(on(options)),
        exchangeMetadata: (options, ...rest) => exchangeMetadata(on(options), ...rest),
      })(settings);
    },
    { also: ['capture.body-released'] },
  ),
  mutant(
    'security.key-in-results',
    'captures an echoed key',
    parts({
      exchangeMetadata: (options, exchange, _, existing) => exchangeMetadata(options, exchange, [], existing),
    }),
    { also: ['security.key-in-errors'] },
  ),
  mutant(
    'trace.neutral',
    'adds a header when it captures',
    calls((inner, request, settings) =>
      captures(request)
        ? reference({ ...settingsOf(settings), headers: { 'x-trace': '1' } }).chat(request)
        : inner.chat(request),
    ),
  ),
  mutant('trace.steps', 'captures nothing', parts({ exchangeMetadata: (_, __, ___, existing) => existing }), {
    also: ['trace.failure'],
  }),
  mutant(
    'trace.failure',
    'captures only what went well',
    parts({
      failure: (error, name, secrets, { partial }) => failureWithout(error, name, secrets, partial),
    }),
  ),
];

function changesRaw(change: (body: Loose) => Loose): Mutant['create'] {
  return answers((response) => {
    const raw = response.metadata?._raw;
    if (raw === undefined || raw === null) return response;
    const changed = Array.isArray(raw) ? raw.map((event) => change(event)) : change(raw);
    return { ...response, metadata: { ...response.metadata, _raw: changed } };
  });
}

function failureWithout(
  error: unknown,
  name: string,
  secrets: readonly string[],
  partial: string | undefined,
): ReturnType<typeof failure> {
  return failure(error, name, secrets, { partial, metadata: undefined });
}
