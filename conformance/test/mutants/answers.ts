import { openrouterChat } from '@glassloop/simulator';
import { fromBody } from '../reference-response.ts';
import { fold } from '../reference-stream.ts';
import {
  answers,
  declares,
  type Loose,
  type Mutant,
  mutant,
  parts,
  reads,
  withCalls,
  withContent,
} from './mutant.ts';

const message = (body: Loose): Loose => body.choices?.[0]?.message ?? {};
const usage = (change: (usage: Loose) => Loose) =>
  answers((response) => ({ ...response, usage: change(response.usage) }));
const finish = (change: (response: Loose) => string) =>
  answers((response) => ({ ...response, finishReason: change(response) }));
const rename = (from: string, to: string) =>
  finish((response) => (response.finishReason === from ? to : response.finishReason));

/** Mutants that make something else of what came back. */
export const answerMutants: readonly Mutant[] = [
  mutant(
    'text.empty',
    "says 'null' for no text",
    answers((response) => withContent(response, response.message.content || 'null')),
  ),
  mutant(
    'text.white-space',
    'trims the answer',
    answers((response) => withContent(response, response.message.content.trim())),
  ),
  mutant(
    'tools.call',
    'makes up ids although the provider gave some',
    answers((response) =>
      withCalls(response, (list) => list.map((call) => ({ ...call, id: crypto.randomUUID() }))),
    ),
  ),
  mutant(
    'tools.text-and-call',
    'drops the text beside a call',
    answers((response) => (response.message.toolCalls.length > 0 ? withContent(response, '') : response)),
  ),
  mutant(
    'tools.parallel',
    'merges calls of one tool',
    answers((response) =>
      withCalls(response, (list) => [
        ...new Map(list.map((call) => [call.name + call.argumentsJson.length, call])).values(),
      ]),
    ),
    { also: ['tools.ids-unique'] },
  ),
  mutant(
    'tools.parallel',
    'reorders calls',
    answers((response) => withCalls(response, (list) => list.toReversed())),
    { also: ['tools.malformed-arguments'] },
  ),
  mutant(
    'tools.ids-unique',
    'numbers the calls of each answer from one',
    answers((response) =>
      withCalls(response, (list) =>
        list.map((call, index) => (call.id.length > 9 ? { ...call, id: `call_${index + 1}` } : call)),
      ),
    ),
  ),
  mutant(
    'tools.no-arguments',
    "says 'null' for no arguments",
    answers((response) =>
      withCalls(response, (list) =>
        list.map((call) => ({
          ...call,
          argumentsJson: call.argumentsJson === '{}' ? 'null' : call.argumentsJson,
        })),
      ),
    ),
    { also: ['tools.blank-arguments', 'tools.parallel'] },
  ),
  mutant(
    'tools.blank-arguments',
    "hands over '' as arguments",
    parts({
      fromBody: (body, around) =>
        withCalls(fromBody(body, around), (list) =>
          list.map((call, index) =>
            message(body).tool_calls[index].function.arguments === '' ? { ...call, argumentsJson: '' } : call,
          ),
        ),
    }),
  ),
  mutant(
    'tools.malformed-arguments',
    'makes {} of broken arguments',
    answers((response) =>
      withCalls(response, (list) =>
        list.map((call) => ({
          ...call,
          argumentsJson: parses(call.argumentsJson) ? call.argumentsJson : '{}',
        })),
      ),
    ),
  ),
  mutant(
    'options.no-warnings',
    'hands over an empty list of warnings',
    answers((response) => ({ ...response, warnings: [] })),
  ),
  mutant(
    'options.images-refused',
    'declares no images, and drops them in silence',
    declares({ images: false }),
  ),
  mutant(
    'options.streaming-refused',
    'declares no streaming, and never calls onDelta',
    declares({ streaming: false }),
  ),
  mutant(
    'options.tool-choice-warned',
    'declares no forced tool choice, and does not say so when asked',
    declares({ requiredToolChoice: false }),
  ),
  mutant(
    'options.thinking-warned',
    'declares no thinking, and does not say so when asked',
    declares({ thinking: false }),
  ),
  mutant(
    'thinking.native',
    'reads thoughts as text',
    reads((body) => {
      const own = message(body);
      if (own.reasoning) own.content = own.reasoning + (own.content ?? '');
      own.reasoning = null;
    }),
    { wire: openrouterChat, also: ['thinking.with-calls'] },
  ),
  mutant(
    'thinking.with-calls',
    'loses thoughts beside calls',
    answers(({ thinking, ...response }) =>
      response.message.toolCalls.length > 0 || thinking === undefined ? response : { ...response, thinking },
    ),
    { wire: openrouterChat },
  ),
  mutant(
    'thinking.inline',
    'leaves inline thoughts in the text',
    answers((response) =>
      response.thinking === undefined ||
      response.message.content === '' ||
      (response.thinking === 'Noon, I guess.' && !response.message.content.includes('  '))
        ? response
        : withContent(response, `<think>${response.thinking}</think>${response.message.content}`),
    ),
  ),
  mutant(
    'thinking.inline-cut',
    'takes a half-open thought for text',
    answers(({ thinking, ...response }) =>
      response.message.content === '' && thinking !== undefined
        ? withContent(response, `<think>${thinking}`)
        : { ...response, ...(thinking !== undefined && { thinking }) },
    ),
  ),
  mutant(
    'thinking.inline-unopened',
    'overlooks a closing tag without an opening one',
    parts({
      fromBody: (body, around) => {
        const text: string = message(body).content ?? '';
        const response = fromBody(body, around);
        return text.includes('</think>') && !text.includes('<think>')
          ? withContent(response, text)
          : response;
      },
    }),
  ),
  mutant(
    'thinking.none',
    'hands over an empty thinking text',
    answers((response) => ({ thinking: '', ...response })),
  ),
  mutant(
    'finish.stop',
    "drops the provider's own word",
    answers(({ rawFinishReason: _, ...response }) => response),
    { also: ['finish.unknown'] },
  ),
  mutant('finish.length', 'takes a cut answer for a finished one', rename('length', 'stop'), {
    also: ['finish.cut-calls'],
  }),
  mutant(
    'finish.calls',
    "believes the word 'stop' beside calls",
    finish((response) => (response.rawFinishReason === 'stop' ? 'stop' : response.finishReason)),
  ),
  mutant(
    'finish.cut-calls',
    'takes cut calls for whole ones',
    finish((response) => (response.message.toolCalls.length > 0 ? 'tool_calls' : response.finishReason)),
  ),
  mutant(
    'finish.content-filter',
    'takes a filtered answer for a finished one',
    rename('content_filter', 'stop'),
  ),
  mutant('finish.unknown', 'takes an unknown word for success', rename('other', 'stop')),
  mutant(
    'usage.counts',
    'hands over no total',
    usage(({ totalTokens: _, ...counts }) => counts),
    { also: ['usage.cache-read', 'usage.reasoning', 'usage.with-calls'] },
  ),
  mutant(
    'usage.absent',
    'invents zeros',
    usage((counts) => ({ promptTokens: 0, completionTokens: 0, totalTokens: 0, ...counts })),
  ),
  mutant(
    'usage.not-invented',
    'invents a cache of zero',
    usage((counts) => (counts.promptTokens === 10 ? { cacheReadTokens: 0, ...counts } : counts)),
  ),
  mutant(
    'usage.cache-read',
    'counts the cache twice',
    usage((counts) => twice(counts, 'promptTokens', 'cacheReadTokens')),
  ),
  mutant(
    'usage.cache-write',
    'loses what was written to the cache',
    usage(({ cacheWriteTokens: _, ...counts }) => counts),
    { wire: openrouterChat },
  ),
  mutant(
    'usage.reasoning',
    'counts reasoning twice',
    usage((counts) => twice(counts, 'completionTokens', 'reasoningTokens')),
  ),
  mutant(
    'usage.cost',
    'takes a cost of 0 for unknown',
    usage(({ estimatedCost, ...counts }) => (estimatedCost ? { ...counts, estimatedCost } : counts)),
    { wire: openrouterChat },
  ),
  mutant(
    'usage.no-cost',
    'estimates a cost from prices of its own',
    (settings) => {
      const inner = usage((counts) => ({
        ...counts,
        ...(counts.promptTokens && { estimatedCost: counts.promptTokens / 1e6 }),
      }))(settings);
      return { ...inner, capabilities: { ...inner.capabilities, cost: false } };
    },
    { also: ['usage.not-invented'] },
  ),
  mutant(
    'usage.odd-counts',
    'hands over what was sent, negative or not',
    parts({
      fromBody: (body, around) => {
        const sent = (body as Loose).usage;
        const response = fromBody(body, around);
        return sent?.prompt_tokens < 0
          ? { ...response, usage: { ...response.usage, promptTokens: sent.prompt_tokens } }
          : response;
      },
    }),
  ),
  mutant(
    'usage.with-calls',
    'reads usage only beside text',
    answers((response) => (response.message.toolCalls.length > 0 ? { ...response, usage: {} } : response)),
  ),
  mutant(
    'streaming.same-as-whole',
    'loses usage when it streams',
    parts({ fold: async (events, piece) => ({ ...((await fold(events, piece)) as object), usage: null }) }),
  ),
  mutant(
    'streaming.deltas',
    'reports the first piece twice',
    parts({
      fold: (events, piece) => {
        let first = true;
        return fold(events, (kind, text, call) => {
          piece(kind, text, call);
          if (first && kind === 'text') piece(kind, text, call);
          first = false;
        });
      },
    }),
    {},
  ),
  mutant(
    'streaming.call-deltas',
    'reports pieces of all calls as the first one',
    parts({
      fold: (events, piece) => fold(events, (kind, text, call) => piece(kind, text, { ...call, index: 0 })),
    }),
  ),
  mutant(
    'streaming.early',
    'collects first and reports later',
    parts({
      fold: async (events, piece) => {
        const pieces: Parameters<typeof piece>[] = [];
        const body = await fold(events, (...one) => void pieces.push(one));
        for (const one of pieces) piece(...one);
        return body;
      },
    }),
  ),
  mutant('streaming.cut', 'takes a cut stream for a finished one', rename('other', 'stop')),
  mutant(
    'streaming.nothing',
    'takes an empty stream for an empty answer',
    parts({
      fold: async (events, piece) => {
        const body = (await fold(events, piece)) as Loose;
        return body.choices.length > 0
          ? body
          : { ...body, choices: [{ message: { content: '' }, finish_reason: 'stop' }] };
      },
    }),
  ),
  mutant(
    'unicode.answer',
    'normalises the answer',
    answers((response) => withContent(response, response.message.content.normalize('NFC'))),
  ),
  mutant(
    'unicode.calls',
    'escapes arguments once more',
    answers((response) =>
      withCalls(response, (list) =>
        list.map((call) => ({ ...call, argumentsJson: call.argumentsJson.replaceAll('\\t', '\\\\t') })),
      ),
    ),
  ),
  mutant(
    'trace.conversation',
    'hands over calls in another order',
    answers((response) => withCalls(response, (list) => list.toReversed())),
  ),
  mutant('trace.incomplete', 'takes a cut answer for a finished one', rename('length', 'tool_calls')),
  mutant(
    'purity.output',
    'hands over an object it shares between answers',
    answers((response) => ({ ...response, usage: SHARED })),
  ),
  mutant(
    'purity.capabilities',
    'does not say whether it takes images',
    declares({ images: undefined as unknown as boolean }),
  ),
  mutant(
    'security.prototype',
    "puts a model's arguments into the prototype of the call",
    answers((response) =>
      withCalls(response, (list) =>
        list.map((call) => Object.setPrototypeOf({ ...call }, { polluted: true })),
      ),
    ),
  ),
];

const SHARED = { promptTokens: 10, completionTokens: 5, totalTokens: 15 };

function twice(counts: Loose, total: string, part: string): Loose {
  return counts[part] === undefined ? counts : { ...counts, [total]: counts[total] + counts[part] };
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
