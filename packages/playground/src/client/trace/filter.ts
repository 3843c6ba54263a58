/** The filter language of the step list. Forgiving: what is no rule is a word. */

import type { StepSummary } from './step-summary.ts';

/** What a rule may ask about a step besides its summary. */
export interface FilterFacts {
  /** Milliseconds from the start of the run. */
  startOf(step: StepSummary): number;
  endOf(step: StepSummary): number;
  tokensOf(step: StepSummary): number | undefined;
  isRepeat(step: StepSummary): boolean;
}

type Rule = (step: StepSummary, facts: FilterFacts) => boolean;

export type StepFilter = (step: StepSummary, facts: FilterFacts) => boolean;

/** undefined: the text holds no rule, everything is shown. */
export function parseFilter(text: string): StepFilter | undefined {
  const rules = words(text).map((word) =>
    word.length > 1 && word.startsWith('-') ? not(ruleOf(word.slice(1))) : ruleOf(word),
  );
  return rules.length === 0 ? undefined : (step, facts) => rules.every((rule) => rule(step, facts));
}

/** Adds a rule to a filter text, or takes it out when it is there. */
export function toggleRule(text: string, rule: string): string {
  const all = words(text);
  return (all.includes(rule) ? all.filter((word) => word !== rule) : [...all, rule]).join(' ');
}

export function hasRule(text: string, rule: string): boolean {
  return words(text).includes(rule);
}

/** At white space, but not inside quotation marks. */
function words(text: string): readonly string[] {
  return [...text.matchAll(/"([^"]*)"|\S+/g)]
    .map((match) => match[1] ?? match[0])
    .filter((word) => word !== '');
}

function not(rule: Rule): Rule {
  return (step, facts) => !rule(step, facts);
}

const KIND_WORDS: { readonly [kind in StepSummary['kind']]: readonly string[] } = {
  assembled: ['assembled', 'assemble', 'prompt'],
  request: ['request', 'req'],
  response: ['response', 'model', 'answer'],
  tool: ['tool'],
  error: ['error', 'err'],
  end: ['end'],
};

function ruleOf(word: string): Rule {
  const lower = word.toLowerCase();
  if (lower === 'err' || lower === 'error' || lower === 'errors') return (step) => step.failed;
  if (lower === 'repeat') return (step, facts) => facts.isRepeat(step);
  const [name, value = ''] = split(lower);
  if (name === 'kind') return kindRule(value);
  if (name === 'tool' && value !== '') {
    return (step) =>
      (step.kind === 'tool' && has(step.name, value)) ||
      (step.calls?.some((call) => has(call.name, value)) ?? false);
  }
  if (name === 'round') {
    const range = rangeOf(value, (part) => (/^\d+$/.test(part) ? Number(part) : undefined));
    if (range !== undefined) return (step) => step.round >= range[0] && step.round <= range[1];
  }
  if (name === 't') {
    const range = rangeOf(value, millis);
    if (range !== undefined) {
      return (step, facts) => facts.endOf(step) >= range[0] && facts.startOf(step) <= range[1];
    }
  }
  return comparisonRule(lower) ?? wordRule(lower);
}

function kindRule(value: string): Rule {
  if (value === 'hidden') return (step) => step.hidden > 0;
  if (value === 'error') return (step) => step.failed;
  return (step) => KIND_WORDS[step.kind].some((word) => word === value);
}

/** `>1s`, `<200ms`, `tok>500`. */
function comparisonRule(word: string): Rule | undefined {
  const match = /^(tok(?:ens)?)?([<>])=?(.+)$/.exec(word);
  if (match === null) return undefined;
  const isTokens = match[1] !== undefined;
  const limit = isTokens ? numberOf(match[3] as string) : millis(match[3] as string);
  if (limit === undefined) return undefined;
  const isMore = match[2] === '>';
  return (step, facts) => {
    const value = isTokens ? facts.tokensOf(step) : step.durationMs;
    return value !== undefined && (isMore ? value > limit : value < limit);
  };
}

function wordRule(word: string): Rule {
  return (step) =>
    KIND_WORDS[step.kind].some((kind) => kind.startsWith(word)) ||
    has(step.name, word) ||
    has(step.head, word) ||
    has(step.args, word) ||
    has(step.code, word) ||
    (step.calls?.some((call) => has(call.name, word) || has(call.args, word)) ?? false);
}

function has(text: string | undefined, lower: string): boolean {
  return text?.toLowerCase().includes(lower) ?? false;
}

function split(word: string): readonly [string, string?] {
  const at = word.indexOf(':');
  return at < 0 ? [word] : [word.slice(0, at), word.slice(at + 1)];
}

function rangeOf(
  value: string,
  read: (part: string) => number | undefined,
): readonly [number, number] | undefined {
  const [from = '', to] = value.split('..');
  const low = from === '' && to !== undefined ? 0 : read(from);
  const high = to === undefined ? low : to === '' ? Number.POSITIVE_INFINITY : read(to);
  return low === undefined || high === undefined ? undefined : [low, high];
}

/** `1s`, `1.5s`, `200ms`, `2min`; a bare number is seconds. */
function millis(value: string): number | undefined {
  const match = /^(\d+(?:[.,]\d+)?)(ms|s|sec|m|min)?$/.exec(value);
  if (match === null) return undefined;
  const number = Number((match[1] as string).replace(',', '.'));
  const unit = match[2] ?? 's';
  return number * (unit === 'ms' ? 1 : unit.startsWith('m') ? 60_000 : 1000);
}

function numberOf(value: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)(k)?$/.exec(value.replace(/[,_](?=\d{3})/g, ''));
  return match === null ? undefined : Number(match[1]) * (match[2] === undefined ? 1 : 1000);
}
