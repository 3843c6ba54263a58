import { openrouterChat } from '@glassloop/simulator';
import { reference } from '../reference-adapter.ts';
import { answers, calls, type Loose, type Mutant, mutant, sends, settingsOf } from './mutant.ts';

const turns = (body: Loose, role: string): Loose[] =>
  body.messages.filter((message: Loose) => message.role === role);
const functions = (body: Loose): Loose[] => (body.tools ?? []).map((tool: Loose) => tool.function);

/** Mutants that send something else than they were asked to. */
/** What mutants keep in `ModelRequest.memo` under. */
const KEPT = {};

export const requestMutants: readonly Mutant[] = [
  mutant(
    'text.answer',
    'sends the question in capitals',
    sends((body) => {
      for (const turn of turns(body, 'user'))
        if (typeof turn.content === 'string') turn.content = turn.content.toUpperCase();
    }),
    { also: ['text.conversation'] },
  ),
  mutant(
    'text.conversation',
    'sends only the last turn',
    sends((body) => {
      body.messages = body.messages.slice(-1);
    }),
  ),
  mutant(
    'text.parts',
    'sends only the first part of a user message',
    sends((body) => {
      for (const turn of turns(body, 'user')) if (Array.isArray(turn.content)) turn.content.length = 1;
    }),
  ),
  mutant(
    'text.empty-turns',
    'sends empty assistant turns',
    sends((body, { messages }) => {
      const at = messages.findIndex(({ role, content }) => role === 'assistant' && content === '');
      if (at !== -1) body.messages.splice(at, 0, { role: 'assistant', content: '' });
    }),
  ),
  mutant(
    'system.one',
    'sends system text as a user turn',
    sends((body) => {
      const first = turns(body, 'system');
      if (first.length === 1) first[0].role = 'user';
    }),
  ),
  mutant(
    'system.several',
    'drops the second system message',
    sends((body) => {
      const [, second] = turns(body, 'system');
      if (turns(body, 'system').length === 3) body.messages.splice(body.messages.indexOf(second), 1);
    }),
  ),
  mutant(
    'system.later',
    'drops system messages behind the first turn',
    sends((body) => {
      const from = body.messages.findIndex((message: Loose) => message.role !== 'system');
      body.messages = body.messages.filter(
        (message: Loose, index: number) => index < from || message.role !== 'system',
      );
    }),
  ),
  mutant(
    'system.blank',
    'sends blank system messages',
    sends((body, { messages }) => {
      const blank = messages.filter(
        ({ role, content }) => role === 'system' && String(content).trim() === '',
      );
      body.messages.unshift(...blank);
    }),
  ),
  mutant(
    'tools.offered',
    'loses the descriptions of tools',
    sends((body) => {
      for (const tool of functions(body)) delete tool.description;
    }),
  ),
  mutant(
    'tools.none',
    'sends an empty list of tools',
    sends((body) => {
      body.tools ??= [];
    }),
    { also: ['tools.not-offered-anymore'] },
  ),
  mutant(
    'tools.replay-arguments',
    'sends broken arguments back as they were',
    sends((body, { messages }) => {
      const written = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
      const sent = turns(body, 'assistant').flatMap((turn) => turn.tool_calls ?? []);
      for (const [index, call] of sent.entries()) call.function.arguments = written[index]?.argumentsJson;
    }),
  ),
  mutant(
    'tools.parameterless',
    'sends a list as properties of a tool without any',
    sends((body) => {
      for (const tool of functions(body))
        if (Object.keys(tool.parameters.properties).length === 0) tool.parameters.properties = [];
    }),
  ),
  mutant(
    'tools.schema-names',
    'cleans properties called format and default out of schemas',
    sends((body) => {
      for (const tool of functions(body)) {
        delete tool.parameters.properties.format;
        delete tool.parameters.properties.default;
      }
    }),
  ),
  mutant(
    'tools.round-trip',
    'sends results in another order',
    sends((body) => {
      const results = turns(body, 'tool');
      if (results.length === 2 && body.messages.length === 5)
        body.messages.splice(3, 2, ...results.reverse());
    }),
  ),
  mutant(
    'tools.out-of-order',
    'pairs results with calls by position',
    sends((body) => {
      const ids = turns(body, 'assistant').flatMap((turn) =>
        (turn.tool_calls ?? []).map((call: Loose) => call.id),
      );
      for (const [index, result] of turns(body, 'tool').entries()) result.tool_call_id = ids[index];
    }),
  ),
  mutant(
    'tools.error-result',
    "replaces the text of error results by 'error'",
    sends((body, { messages }) => {
      const failed = messages.filter((message) => message.role === 'tool').map((message) => message.isError);
      for (const [index, result] of turns(body, 'tool').entries())
        if (failed[index]) result.content = 'error';
    }),
  ),
  mutant(
    'tools.empty-result',
    'drops empty results',
    sends((body) => {
      body.messages = body.messages.filter(
        (message: Loose) => message.role !== 'tool' || message.content !== '',
      );
    }),
  ),
  mutant(
    'tools.foreign-ids',
    'sends ids of another provider as they are',
    sends((body, { messages }) => {
      const long = messages.flatMap((message) => (message.role === 'assistant' ? message.toolCalls : []));
      const sent = turns(body, 'assistant').flatMap((turn) => turn.tool_calls ?? []);
      for (const [index, call] of sent.entries()) call.id = long[index]?.id;
    }),
  ),
  mutant(
    'tools.not-offered-anymore',
    'drops calls and results when no tools are offered',
    sends((body) => {
      if (body.tools === undefined)
        body.messages = body.messages.filter(({ role, tool_calls }: Loose) => role !== 'tool' && !tool_calls);
    }),
  ),
  mutant(
    'options.sampling',
    'forgets sampling when it streams',
    sends((body, { onDelta }) => {
      if (onDelta !== undefined)
        for (const field of ['temperature', 'top_p', 'max_completion_tokens', 'stop']) delete body[field];
    }),
  ),
  mutant(
    'options.absent',
    'sends null for what was not set',
    sends((body, { options }) => {
      for (const [name, value] of Object.entries(options)) if (value === undefined) body[name] = null;
    }),
  ),
  mutant(
    'options.provider-options',
    'ignores providerOptions',
    sends((body) => {
      delete body.x_conformance;
    }),
  ),
  mutant(
    'options.provider-options',
    "sends another adapter's options too",
    sends((body, { options }) => {
      for (const other of Object.values(options.providerOptions ?? {})) Object.assign(body, other);
    }),
  ),
  mutant(
    'options.tool-choice',
    "loses the tool choice 'none'",
    sends((body) => {
      if (body.tool_choice === 'none') delete body.tool_choice;
    }),
  ),
  mutant(
    'options.tool-choice-required',
    "sends 'required' as 'auto'",
    sends((body) => {
      if (body.tool_choice === 'required') body.tool_choice = 'auto';
    }),
  ),
  mutant(
    'options.parallel-off',
    'loses parallelToolCalls',
    sends((body) => {
      delete body.parallel_tool_calls;
    }),
  ),
  mutant(
    'options.thinking',
    'loses thinking',
    sends((body) => {
      delete body.reasoning_effort;
    }),
  ),
  mutant(
    'options.images',
    'drops images',
    sends((body) => {
      for (const turn of turns(body, 'user')) {
        if (Array.isArray(turn.content))
          turn.content = turn.content.filter((part: Loose) => part.type === 'text');
      }
    }),
    { also: ['options.image-urls'] },
  ),
  mutant(
    'options.image-urls',
    'drops images that are URLs',
    sends((body) => {
      const isUrl = (part: Loose) => part.image_url?.url.startsWith('https:');
      for (const turn of turns(body, 'user')) {
        if (Array.isArray(turn.content)) turn.content = turn.content.filter((part: Loose) => !isUrl(part));
      }
      body.messages = body.messages.map((turn: Loose) =>
        turn.content?.length === 0 ? { ...turn, content: '?' } : turn,
      );
    }),
  ),
  mutant(
    'thinking.state',
    'drops opaque state',
    sends((body) => {
      for (const turn of turns(body, 'assistant')) delete turn.reasoning_details;
    }),
    { wire: openrouterChat },
  ),
  mutant(
    'thinking.state',
    'rewrites opaque state',
    sends((body) => {
      for (const turn of turns(body, 'assistant'))
        for (const detail of turn.reasoning_details ?? []) if (detail.data) detail.data += '=';
    }),
    { wire: openrouterChat },
  ),
  mutant(
    'thinking.foreign-state',
    "sends another adapter's state",
    sends((body, { messages }) => {
      for (const message of messages)
        if (message.role === 'assistant' && message.providerState) body.state = message.providerState;
    }),
  ),
  mutant(
    'thinking.edited-turn',
    'sends the calls that its state remembers, not those of the turn',
    (settings) => {
      const inner = reference(settingsOf(settings));
      const remembered = new WeakMap<object, Loose>();
      return {
        ...inner,
        chat: async (request) => {
          const messages = request.messages.map((message) => {
            const state =
              message.role === 'assistant' ? (message.providerState?.['reference'] as object) : undefined;
            return state === undefined ? message : { ...message, toolCalls: remembered.get(state) ?? [] };
          }) as typeof request.messages;
          const response = await inner.chat({ ...request, messages });
          const state = response.message.providerState?.['reference'] as object | undefined;
          if (state !== undefined) remembered.set(state, response.message.toolCalls);
          return response;
        },
      };
    },
    { wire: openrouterChat, also: ['thinking.state'] },
  ),
  mutant(
    'unicode.request',
    'normalises what it sends',
    sends((body) => {
      for (const turn of body.messages)
        if (typeof turn.content === 'string') turn.content = turn.content.normalize('NFC');
    }),
  ),
  mutant(
    'unicode.lone-surrogates',
    'cuts results in the middle of an emoji',
    sends((body) => {
      for (const turn of turns(body, 'tool'))
        if (turn.content.startsWith('cut')) turn.content = 'cut here: \ud83c';
    }),
  ),
  mutant(
    'purity.input',
    'adds to the list of messages it was given',
    calls((inner, request) => {
      (request.messages as Loose[]).push({ role: 'user', content: 'One more thing.' });
      return inner.chat(request);
    }),
    { also: ['purity.concurrent', 'purity.memo', 'purity.preview'] },
  ),
  mutant(
    'purity.memo',
    'offers the tools of the first round in all rounds',
    calls((inner, request) => {
      const tools = (request.memo?.get(KEPT) as Loose) ?? request.tools;
      request.memo?.set(KEPT, tools);
      return inner.chat({ ...request, tools });
    }),
  ),
  mutant(
    'purity.memo',
    'adds what is new to the messages it has kept, though the conversation has changed',
    calls((inner, request) => {
      const kept: Loose[] = (request.memo?.get(KEPT) as Loose) ?? [];
      const messages = [...kept, ...request.messages.slice(kept.length)];
      request.memo?.set(KEPT, messages);
      return inner.chat({ ...request, messages });
    }),
  ),
  mutant('purity.preview', 'previews another body than it sends', (settings) => {
    const inner = reference(settingsOf(settings));
    return { ...inner, preview: (request) => inner.preview!({ ...request, options: {} }) };
  }),
  mutant('security.model-id', 'takes the last part of the model id only', (settings) =>
    reference({ ...settingsOf(settings), model: settingsOf(settings).model.split('/').at(-1)! }),
  ),
  mutant(
    'text.model',
    'asks a model of its own',
    sends((body) => {
      body.model = 'my-favourite-model';
    }),
  ),
  mutant(
    'text.model',
    'names the model asked, not the one that answered',
    answers((response, _, settings) => ({ ...response, model: settings.model })),
  ),
];
