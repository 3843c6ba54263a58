import { invalid } from '../http/problem.ts';
import type { FieldProblem, RunRequest } from '../protocol.ts';

type Check = (value: unknown) => string | undefined;

const text: Check = (value) => (typeof value === 'string' ? undefined : 'A text.');
const flag: Check = (value) => (typeof value === 'boolean' ? undefined : 'true or false.');
const texts: Check = (value) =>
  Array.isArray(value) && value.every((entry) => typeof entry === 'string') ? undefined : 'A list of texts.';
const object: Check = (value) => (isObject(value) ? undefined : 'An object.');

const CHECKS: { readonly [field in keyof Required<RunRequest>]: Check } = {
  configuration: text,
  provider: text,
  model: text,
  prompt: (value) =>
    typeof value === 'string' || (Array.isArray(value) && value.every(isObject))
      ? undefined
      : 'A text, or a list of parts.',
  messages: (value) =>
    Array.isArray(value) && value.length > 0 && value.every(isObject) ? undefined : 'A list of messages.',
  systemPrompt: text,
  tools: texts,
  skills: texts,
  snippets: texts,
  options: object,
  maxRounds: (value) =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1000
      ? undefined
      : 'A whole number from 1 to 1000.',
  limits: object,
  captureRaw: flag,
  keep: flag,
  dryRun: flag,
  allowEffects: texts,
  forkedFrom: (value) =>
    isObject(value) && typeof value['run'] === 'string' && Number.isInteger(value['step'])
      ? undefined
      : '{ run: id, step: number }.',
};

const LIMITS: readonly string[] = ['totalTokens', 'cost', 'toolCalls', 'durationMs'];

/** The body of POST /runs and /assemble, checked; throws 400 with one entry per wrong field. null counts as absent. */
export function parseRunRequest(body: unknown): RunRequest {
  if (!isObject(body)) throw invalid([{ field: '', rule: 'An object with at least "prompt".' }]);
  const problems: FieldProblem[] = [];
  const request: Record<string, unknown> = {};
  for (const [field, value] of Object.entries(body)) {
    if (!Object.hasOwn(CHECKS, field)) {
      problems.push({
        field,
        rule: 'There is no such field.',
        fix: `Known: ${Object.keys(CHECKS).join(', ')}.`,
      });
      continue;
    }
    if (value === undefined || value === null) continue;
    const rule = CHECKS[field as keyof RunRequest](value);
    if (rule === undefined) request[field] = value;
    else problems.push({ field, rule });
  }
  if (isObject(request['limits'])) {
    for (const [name, value] of Object.entries(request['limits'])) {
      if (!LIMITS.includes(name)) problems.push({ field: `limits.${name}`, rule: 'There is no such limit.' });
      else if (!(value === null || (typeof value === 'number' && value > 0))) {
        problems.push({ field: `limits.${name}`, rule: 'A number greater than 0.' });
      }
    }
    request['limits'] = Object.fromEntries(
      Object.entries(request['limits']).filter(([, value]) => value !== null),
    );
  }
  const { prompt, messages } = request;
  if (prompt === undefined && messages === undefined) {
    problems.push({ field: 'prompt', rule: 'What to ask.', fix: 'Write a prompt, or give messages.' });
  } else if (prompt !== undefined && messages !== undefined) {
    problems.push({ field: 'messages', rule: 'Either prompt or messages.' });
  } else if (typeof prompt === 'string' && prompt.trim() === '') {
    problems.push({ field: 'prompt', rule: 'A text that is not blank.' });
  }
  if (problems.length > 0) throw invalid(problems);
  return request as RunRequest;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
