import type { ScriptedAnswer, SeenMessage, WireFormat, WireReply } from '@glassloop/simulator';

/** Parley as it is seen from its own side: reads what the adapter sends, writes what a script says. */
export const parleyTurn: WireFormat = {
  name: 'parley-turn',
  basePath: '',
  can: {
    callIds: true,
    thinking: false,
    opaque: false,
    cacheRead: false,
    cacheWrite: false,
    reasoningTokens: false,
    cost: false,
    toolChoice: true,
    parallelToolCalls: true,
    errorResults: true,
    argumentsText: false,
  },
  accepts: ({ method, path }) => method === 'POST' && path === '/turn',
  read(request) {
    const body = request.body as Body;
    if (typeof body?.model !== 'string') throw new Error('model: missing');
    const unknown = Object.keys(body).find((name) => name.startsWith('_'));
    if (unknown !== undefined) throw new Error(`${unknown}: unknown field`);
    if (body.tools?.length === 0) throw new Error('tools: leave it out when there are none');
    const messages = body.turns.map(readTurn);
    checkResults(messages);
    const first = messages.findIndex(({ role }) => role !== 'system');
    const { temperature, top_p: topP, limit: maxTokens, stop } = body.settings ?? {};
    const bearer = request.rawHeaders.find(([name]) => name.toLowerCase() === 'authorization')?.[1];
    return {
      model: body.model,
      system: messages.flatMap((message) => (message.role === 'system' ? [message.text] : [])),
      messages: first === -1 ? [] : messages.slice(first),
      tools: (body.tools ?? []).map(({ name, about, input }) => ({
        name,
        description: about,
        parameters: input,
      })),
      toolChoice: body.choose === 'must' ? 'required' : body.choose,
      parallelToolCalls: body.side_by_side,
      stream: body.stream === true,
      temperature,
      topP,
      maxTokens,
      stop,
      thinking: undefined,
      apiKey: bearer?.replace(/^Bearer /, ''),
    };
  },
  write(answer, seen) {
    const text = answer.say ?? answer.refuse ?? '';
    const calls = (answer.callTools ?? []).map((call, index) => ({
      // The history grows with every round, so that no id comes twice in a conversation.
      ref: call.id ?? `r${seen.messages.length}.${index}`,
      tool: call.name,
      input: typeof call.arguments === 'string' ? JSON.parse(call.arguments || '{}') : (call.arguments ?? {}),
    }));
    const model = answer.model ?? seen.model;
    if (!seen.stream) return json({ model, text, calls, ...ending(answer), ...answer.extra });
    const length = answer.pieceLength ?? 8;
    const characters = [...text];
    const pieces = characters.flatMap((_, at) =>
      at % length === 0 ? [{ text: characters.slice(at, at + length).join('') }] : [],
    );
    const events: object[] = [...pieces, ...calls.map((call) => ({ call })), { model, ...ending(answer) }];
    events[0] = { ...events[0], ...answer.extra };
    return {
      status: 200,
      headers: { 'content-type': 'application/x-ndjson' },
      chunks: events.map((event) => `${JSON.stringify(event)}\n`),
      body: events,
    };
  },
  fail({ status, message = `status ${status}`, code, details, headers }) {
    return json({ problem: { status, says: message, code, ...details } }, status, headers);
  },
};

interface Body {
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools?: readonly { name: string; about: string; input: unknown }[];
  readonly choose?: 'auto' | 'none' | 'must' | { tool: string };
  readonly side_by_side?: boolean;
  readonly stream?: boolean;
  readonly settings?: { temperature?: number; top_p?: number; limit?: number; stop?: readonly string[] };
}

interface Turn {
  readonly from: string;
  readonly text: string;
  readonly ref?: string;
  readonly failed?: boolean;
  readonly calls?: readonly { ref: string; tool: string; input: unknown }[];
}

function readTurn({ from, text, ref, failed, calls = [] }: Turn): SeenMessage {
  switch (from) {
    case 'system':
      return { role: 'system', text };
    case 'user':
      return { role: 'user', text, images: [] };
    case 'model': {
      const read = calls.map((call) => ({ id: call.ref, name: call.tool, arguments: call.input }));
      return { role: 'assistant', text, calls: read, thinking: undefined, opaque: [] };
    }
    case 'tool':
      return { role: 'tool', callId: ref, name: undefined, text, isError: failed, sameTurn: false };
    default:
      throw new Error(`turns: nobody is called ${from}`);
  }
}

/** Parley refuses a result of a call that nobody made. */
function checkResults(messages: readonly SeenMessage[]): void {
  const known = new Set(
    messages.flatMap((one) => (one.role === 'assistant' ? one.calls.map(({ id }) => id) : [])),
  );
  const stray = messages.find((one) => one.role === 'tool' && !known.has(one.callId));
  if (stray !== undefined) throw new Error(`turns: no call has this ref: ${JSON.stringify(stray)}`);
}

const ENDS = { stop: 'done', length: 'limit', tool_calls: 'calls', content_filter: 'filter' };

/** `end` is left out when the script wants no word, `tokens` when it wants no usage. */
function ending({ callTools = [], finish, rawFinish, usage }: ScriptedAnswer): object {
  const end = rawFinish ?? ENDS[finish ?? (callTools.length > 0 ? 'tool_calls' : 'stop')];
  const { prompt, completion } = usage ?? { prompt: 10, completion: 5 };
  return {
    ...(rawFinish !== null && { end }),
    ...(usage !== null && { tokens: { in: prompt, out: completion } }),
  };
}

function json(body: object, status = 200, headers: Readonly<Record<string, string>> = {}): WireReply {
  const text = JSON.stringify(body);
  const type = { 'content-type': 'application/json' };
  return { status, headers: { ...type, ...headers }, chunks: [text], body: JSON.parse(text) };
}
