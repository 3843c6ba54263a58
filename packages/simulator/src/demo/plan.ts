import type { SeenRequest } from '../wire/wire-format.ts';
import { fillArguments, type Source } from './arguments.ts';
import { clausesOf, conceptsIn, superlativeIn } from './words.ts';

/** Which calls a request wants, by words that tools and request share, and by arguments that can be found. */

export interface PlannedCall {
  readonly name: string;
  readonly arguments: { readonly [name: string]: unknown };
}

type OfferedTool = SeenRequest['tools'][number];

const ENOUGH = 3;

/** All calls that `prompt` wants, whether made already or not; at most one per clause and tool. */
export function planCalls(
  prompt: string,
  tools: readonly OfferedTool[],
  results: readonly unknown[],
): readonly PlannedCall[] {
  const planned = clausesOf(prompt).flatMap((text) => {
    const best = bestCall({ text, results }, tools);
    return best === undefined ? [] : [best];
  });
  // Words that belong together may have been split: "Search for salt and pepper".
  const whole = planned.length > 0 ? undefined : bestCall({ text: prompt, results }, tools);
  const calls = whole === undefined ? planned : [whole];
  return calls.filter((call, i) => calls.findIndex((other) => sameCall(call, other)) === i);
}

/** Some call, for when there must be one: of the best tool that can be called at all. */
export function forcedCall(
  prompt: string,
  tools: readonly OfferedTool[],
  results: readonly unknown[],
): PlannedCall | undefined {
  const source = { text: prompt, results };
  const best = bestCall(source, tools, Number.NEGATIVE_INFINITY);
  const [first] = tools;
  return best ?? (first && { name: first.name, arguments: {} });
}

export function sameCall(a: PlannedCall, b: PlannedCall): boolean {
  return a.name === b.name && JSON.stringify(a.arguments) === JSON.stringify(b.arguments);
}

function bestCall(source: Source, tools: readonly OfferedTool[], enough = ENOUGH): PlannedCall | undefined {
  const wanted = conceptsIn(source.text);
  let best: { call: PlannedCall; score: number } | undefined;
  for (const tool of tools) {
    const filled =
      fillArguments(tool.name, tool.parameters, source) ?? prerequisite(tool, tools, source, wanted);
    if (filled === undefined) continue;
    const score = 'score' in filled ? filled.score : likeness(tool, wanted) + filled.evidence;
    const call = 'score' in filled ? filled.call : { name: tool.name, arguments: filled.values };
    if (score >= enough && (best === undefined || score > best.score)) best = { call, score };
  }
  return best?.call;
}

/** "Read the largest file" needs a list first: the call that fetches it. */
function prerequisite(
  tool: OfferedTool,
  tools: readonly OfferedTool[],
  source: Source,
  wanted: ReadonlySet<string>,
) {
  const name = conceptsIn(tool.name);
  if (superlativeIn(source.text) === 0 || !name.has('read') || !wanted.has('read')) return undefined;
  const lister = tools.find((other) => conceptsIn(other.name).has('list'));
  const filled = lister && fillArguments(lister.name, lister.parameters, source);
  if (lister === undefined || filled === undefined) return undefined;
  return { call: { name: lister.name, arguments: filled.values }, score: likeness(tool, wanted) };
}

function likeness(tool: OfferedTool, wanted: ReadonlySet<string>): number {
  const named = conceptsIn(tool.name);
  const described = conceptsIn(tool.description);
  let score = 0;
  for (const concept of wanted) {
    if (named.has(concept)) score += 3;
    else if (described.has(concept)) score += 1;
  }
  return score;
}
