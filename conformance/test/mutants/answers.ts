import { fromBody } from '../reference-response.ts';
import { fold } from '../reference-stream.ts';
import {
  answers,
  declares,
  type Loose,
  type Mutant,
  mutant,
  parts,
  withCalls,
  withContent,
} from './mutant.ts';
import { rename } from './reading.ts';

const message = (body: Loose): Loose => body.choices?.[0]?.message ?? {};
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

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
