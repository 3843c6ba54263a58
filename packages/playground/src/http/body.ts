import { isObject } from '../runs/run-request.ts';
import { invalid, ProblemError } from './problem.ts';

/** The JSON body of a request: 415 for another type, 413 over the limit, 400 for what is no JSON. */
export async function jsonBody(
  request: Request,
  limit: number,
): Promise<{ readonly text: string; readonly value: unknown }> {
  checkType(request, 'application/json');
  const text = await textWithin(request, limit);
  try {
    return { text, value: JSON.parse(text) };
  } catch {
    throw new ProblemError('bad_json', { hint: 'Send one JSON object.' });
  }
}

/** Simple types, which any page may post without asking, are refused by being no other. */
export function checkType(request: Request, ...types: readonly string[]): void {
  const type = (request.headers.get('content-type') ?? '').split(';')[0]!.trim().toLowerCase();
  if (types.includes(type)) return;
  throw new ProblemError('unsupported_media_type', { hint: `Send content-type: ${types.join(' or ')}.` });
}

async function textWithin(request: Request, limit: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const tooLarge = () => new ProblemError('too_large', { detail: `At most ${limit} bytes.` });
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw tooLarge();
  for await (const chunk of bytesOf(request)) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

export async function* bytesOf(request: Request): AsyncGenerator<Uint8Array, void> {
  const reader = request.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

export function objectBody(
  value: unknown,
  known: { readonly [field: string]: (value: unknown) => boolean },
): Record<string, unknown> {
  if (!isObject(value)) throw invalid([{ field: '', rule: 'An object.' }]);
  const problems = Object.entries(value).flatMap(([field, entry]) =>
    !Object.hasOwn(known, field)
      ? [{ field, rule: `There is no such field. Known: ${Object.keys(known).join(', ')}.` }]
      : known[field]!(entry)
        ? []
        : [{ field, rule: 'A value of another type is expected.' }],
  );
  if (problems.length > 0) throw invalid(problems);
  return value;
}
