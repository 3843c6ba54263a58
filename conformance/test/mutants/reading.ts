import { openrouterChat } from '@glassloop/simulator';
import { fromBody } from '../reference-response.ts';
import { answers, type Loose, type Mutant, mutant, parts, reads, withContent } from './mutant.ts';

const message = (body: Loose): Loose => body.choices?.[0]?.message ?? {};
const usage = (change: (usage: Loose) => Loose) =>
  answers((response) => ({ ...response, usage: change(response.usage) }));
const finish = (change: (response: Loose) => string) =>
  answers((response) => ({ ...response, finishReason: change(response) }));
export const rename = (from: string, to: string) =>
  finish((response) => (response.finishReason === from ? to : response.finishReason));

/** Mutants that misread thinking, the end of an answer, or its counts. */
export const readingMutants: readonly Mutant[] = [
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
    'finish.absent',
    'takes an answer without any word for an unfinished one',
    finish((response) => (response.rawFinishReason === undefined ? 'other' : response.finishReason)),
  ),
];

function twice(counts: Loose, total: string, part: string): Loose {
  return counts[part] === undefined ? counts : { ...counts, [total]: counts[total] + counts[part] };
}
