import { forcedCall, type PlannedCall, planCalls, sameCall } from './demo/plan.ts';
import { decoded, type Finding, tell } from './demo/tell.ts';
import type { ScriptedAnswer } from './turn.ts';
import type { SeenMessage, SeenRequest } from './wire/wire-format.ts';

const MOST_CHARACTERS_READ = 4000;

/** The block of skills in front of a question is no question. */
const REFERENCE_MATERIAL = /^[\s\S]*<<<end of skills>>>\s*/;

/**
 * A small model made of rules, for a first run without a key: reads the prompt and the tools that are offered, asks for
 * the calls that fit, and answers from their results. The same request always gets the same answer. Goes into
 * `startSimulator({ wire, respond: demoModel })`.
 */
export function demoModel(seen: SeenRequest): ScriptedAnswer {
  const { prompt, since } = currentQuestion(seen.messages);
  const findings = findingsIn(since);
  const calls = nextCalls(seen, prompt, findings);
  const think = thoughtOf(calls, findings);
  const answer: ScriptedAnswer =
    calls.length > 0 ? { callTools: calls } : { say: answerFrom(findings, seen, prompt) };
  return measured({ ...answer, ...(seen.thinking !== false && { think }) }, seen);
}

/** What the user asked last, and what happened since. A user text right after results only hurries us. */
function currentQuestion(messages: readonly SeenMessage[]) {
  let at = messages.length - 1;
  while (at >= 0 && (messages[at]?.role !== 'user' || messages[at - 1]?.role === 'tool')) at--;
  const question = messages[at];
  const text = question?.role === 'user' ? question.text.replace(REFERENCE_MATERIAL, '') : '';
  return { prompt: text.slice(0, MOST_CHARACTERS_READ), since: messages.slice(at + 1) };
}

function nextCalls(seen: SeenRequest, prompt: string, findings: readonly Finding[]): readonly PlannedCall[] {
  const { toolChoice } = seen;
  if (seen.tools.length === 0 || toolChoice === 'none') return [];
  const tools =
    typeof toolChoice === 'object' ? seen.tools.filter((tool) => tool.name === toolChoice.tool) : seen.tools;
  const results = findings.filter((finding) => !finding.failed).map((finding) => decoded(finding.text ?? ''));
  const open = planCalls(prompt, tools, results).filter(
    (call) => !findings.some((finding) => sameCall(call, finding)),
  );
  if (open.length === 0 && (toolChoice === 'required' || typeof toolChoice === 'object')) {
    const forced = forcedCall(prompt, tools, results);
    return forced === undefined ? [] : [forced];
  }
  return seen.parallelToolCalls === false ? open.slice(0, 1) : open;
}

function thoughtOf(calls: readonly PlannedCall[], findings: readonly Finding[]): string {
  const names = calls.map((call) => call.name).join(' and ');
  if (calls.length > 0) return `${findings.length > 0 ? 'Now this' : 'This'} needs ${names}.`;
  return findings.length > 0 ? 'The results are there; I can answer.' : 'No tool helps here.';
}

/** The calls of the messages, each with its result: by id, or by order where the format has no ids. */
function findingsIn(messages: readonly SeenMessage[]): readonly Finding[] {
  const findings: Finding[] = [];
  for (const [i, message] of messages.entries()) {
    if (message.role !== 'assistant') continue;
    const after = messages.slice(i + 1);
    const end = after.findIndex((other) => other.role !== 'tool');
    const results = (end === -1 ? after : after.slice(0, end)).filter((other) => other.role === 'tool');
    for (const [j, call] of message.calls.entries()) {
      const byId = call.id === undefined ? undefined : results.find((result) => result.callId === call.id);
      const result = byId ?? results[j];
      findings.push({
        name: call.name,
        arguments: (typeof call.arguments === 'object' && call.arguments !== null ? call.arguments : {}) as {
          [name: string]: unknown;
        },
        text: result?.text,
        failed: result?.isError ?? soundsFailed(result?.text ?? ''),
      });
    }
  }
  return findings;
}

/** For formats in which a result cannot say that it is an error. */
function soundsFailed(text: string): boolean {
  const complaint =
    /^(error\b|the (tool|arguments?)\b.*"|there is no \w+ (or \w+ )?"|no such\b|unknown\b|invalid\b|cannot\b|could not\b|only \w+ .*allowed|.*\brefused\.?$)/i;
  return text.length < 400 && complaint.test(text);
}

function answerFrom(findings: readonly Finding[], seen: SeenRequest, prompt: string): string {
  if (findings.length > 0) {
    return findings.map((finding) => tell(finding, prompt)).join(' ');
  }
  const what = 'I am a demonstration model: a few rules that read your words and call tools. ';
  if (seen.tools.length === 0) return `${what}I was offered no tools, so I cannot find that out.`;
  const names = seen.tools.map((tool) => tool.name).join(', ');
  return `${what}None of the tools I was offered (${names}) fits this request, or I could not find the arguments for it.`;
}

/** Adds a plausible usage, and cuts the answer where the request's limit is reached. */
function measured(answer: ScriptedAnswer, seen: SeenRequest): ScriptedAnswer {
  const { say, think = '', callTools = [] } = answer;
  const prompt = tokens(seen.system) + tokens(seen.tools) + tokens(seen.messages);
  // What an earlier round has sent already comes from the provider's cache.
  const lastAssistant = seen.messages.findLastIndex((message) => message.role === 'assistant');
  const cacheRead = lastAssistant <= 0 ? 0 : prompt - tokens(seen.messages.slice(lastAssistant));
  const reasoning = Math.ceil(think.length / 4);
  const room = seen.maxTokens === undefined ? Number.POSITIVE_INFINITY : seen.maxTokens - reasoning;
  const cut = say !== undefined && say.length / 4 > room;
  const said = cut ? [...say].slice(0, Math.max(0, room) * 4).join('') : say;
  const written = Math.ceil((said ?? '').length / 4) + (callTools.length > 0 ? tokens(callTools) : 0);
  return {
    ...answer,
    ...(said !== undefined && { say: said }),
    ...(cut && { finish: 'length' as const }),
    usage: {
      prompt,
      completion: written + reasoning,
      ...(cacheRead > 0 && { cacheRead }),
      ...(reasoning > 0 && { reasoning }),
    },
  };
}

/** About four characters are one token. */
function tokens(value: unknown): number {
  return Math.ceil(JSON.stringify(value).length / 4);
}
