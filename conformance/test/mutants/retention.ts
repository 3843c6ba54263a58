import { reference } from '../reference-adapter.ts';
import { fromBody } from '../reference-response.ts';
import { answers, fetches, type Mutant, mutant, parts, settingsOf } from './mutant.ts';

/** Mutants that keep what the caller has thrown away. Two of them are measured in a process of their own, under these names. */

export const keepsBody = mutant(
  'capture.body-released',
  'keeps the body in a hidden property of the result',
  parts({
    fromBody: (body, around) =>
      Object.defineProperty(fromBody(body, around), 'body', { value: body, enumerable: false }),
  }),
  { module: `${import.meta.url}#keepsBody` },
);

export const keepsRequest = mutant(
  'capture.request-released',
  'keeps the request in a hidden property of the result',
  answers((response, request) =>
    Object.defineProperty(response, 'request', { value: request, enumerable: false }),
  ),
  { module: `${import.meta.url}#keepsRequest` },
);

export const retentionMutants: readonly Mutant[] = [
  keepsBody,
  mutant(
    'capture.body-released',
    'keeps the text of the body in a closure',
    (settings) => {
      const kept: (() => number)[] = [];
      const keeping = fetches((base) => async (input, init) => {
        const response = await base(input, init);
        const text = await response.text();
        kept.push(() => text.length);
        return new Response(text, { status: response.status, headers: response.headers });
      })(settings);
      return Object.defineProperty(keeping, 'kept', { value: kept });
    },
    { also: ['capture.nothing-injected', 'capture.error-released', 'capture.captured-released'] },
  ),
  keepsRequest,
  mutant(
    'capture.error-released',
    'keeps the page in a hidden property of the error',
    (settings) => {
      let page = '';
      const base = settings.fetch ?? fetch;
      const reading: typeof fetch = async (input, init) => {
        const response = await base(input, init);
        const text = response.text.bind(response);
        return Object.defineProperty(response, 'text', {
          value: async () => (page = await text()),
          configurable: true,
        });
      };
      const inner = reference({ ...settingsOf(settings), fetch: reading });
      return {
        ...inner,
        chat: async (request) => {
          try {
            return await inner.chat(request);
          } catch (error) {
            throw Object.defineProperty(error as object, 'page', { value: page });
          }
        },
      };
    },
    { also: ['capture.nothing-injected'] },
  ),
  mutant('capture.captured-released', 'keeps captured bodies beside the result', (settings) => {
    const kept: unknown[] = [];
    const inner = reference(settingsOf(settings));
    const chat: typeof inner.chat = async (request) => {
      const response = await inner.chat(request);
      kept.push(response.metadata?.['_raw']);
      return response;
    };
    return Object.defineProperty({ ...inner, chat }, 'kept', { value: kept });
  }),
];
