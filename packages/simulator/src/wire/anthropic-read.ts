import { bodyObject, headerOf, isObject } from './answer-parts.ts';
import { checkName, readStop, readThinking, readToolChoice, readTools } from './anthropic-options.ts';
import { opened } from './opaque-token.ts';
import type { RecordedRequest, SeenMessage, SeenRequest } from './wire-format.ts';

type Block = Record<string, unknown>;
type Turn = { readonly role: 'user' | 'assistant'; readonly blocks: readonly Block[]; readonly at: string };
type Assistant = Extract<SeenMessage, { role: 'assistant' }>;

/** Reads a Messages request; refuses with the provider's own sentences. */
export function readAnthropic(request: RecordedRequest): SeenRequest {
  if (headerOf(request.rawHeaders, 'anthropic-version') === undefined) {
    throw new Error('anthropic-version: header is required');
  }
  const body = bodyObject(request.body);
  if (typeof body['model'] !== 'string' || body['model'] === '') throw new Error('model: Field required');
  const maxTokens = body['max_tokens'];
  if (maxTokens === undefined) throw new Error('max_tokens: Field required');
  if (!Number.isInteger(maxTokens) || (maxTokens as number) < 1) {
    throw new Error('max_tokens: Input should be greater than or equal to 1');
  }
  const turns = readTurns(body['messages']);
  checkResults(turns);
  const messages = turns.flatMap(readTurn);
  const tools = readTools(body['tools']);
  const thinking = readThinking(body, maxTokens as number);
  return {
    model: body['model'],
    system: readSystem(body['system']),
    messages,
    tools: tools.filter((tool) => tool !== undefined),
    ...readToolChoice(body, tools.length),
    stream: body['stream'] === true,
    temperature: fraction(body['temperature'], 'temperature'),
    topP: fraction(body['top_p'], 'top_p'),
    maxTokens: maxTokens as number,
    stop: readStop(body['stop_sequences']),
    thinking,
    apiKey:
      headerOf(request.rawHeaders, 'x-api-key') ??
      headerOf(request.rawHeaders, 'authorization')?.replace(/^Bearer /i, ''),
  };
}

function readTurns(messages: unknown): Turn[] {
  if (!Array.isArray(messages)) throw new Error('messages: Field required');
  if (messages.length === 0) throw new Error('messages: at least one message is required');
  return messages.map((message: unknown, index): Turn => {
    const at = `messages.${index}`;
    if (!isObject(message)) throw new Error(`${at}: Input should be an object`);
    const { role, content } = message;
    if (role === 'system') {
      throw new Error(
        'messages: Unexpected role "system". The Messages API accepts a top-level `system` parameter, not "system" as an input message role.',
      );
    }
    if (role !== 'user' && role !== 'assistant') {
      throw new Error(`${at}.role: Input should be 'user' or 'assistant'`);
    }
    if (index === 0 && role !== 'user') throw new Error('messages: first message must use the "user" role');
    const last = index === messages.length - 1;
    const optional = last && role === 'assistant';
    if (content === '' || (Array.isArray(content) && content.length === 0)) {
      if (optional) return { role, blocks: [], at };
      throw new Error(
        `${at}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    const blocks = contentBlocks(content, `${at}.content`);
    for (const [place, block] of blocks.entries()) checkBlock(block, role, `${at}.content.${place}`);
    const end = blocks.at(-1);
    if (optional && end?.['type'] === 'text' && /\s$/.test(String(end['text']))) {
      throw new Error('messages: final assistant content cannot end with trailing whitespace');
    }
    return { role, blocks, at };
  });
}

function contentBlocks(content: unknown, at: string): Block[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  if (!Array.isArray(content) || !content.every(isObject)) {
    throw new Error(`${at}: Input should be a valid string or a list of content blocks`);
  }
  return content;
}

const ONLY_IN: { readonly [type: string]: Turn['role'] } = {
  tool_result: 'user',
  image: 'user',
  document: 'user',
  tool_use: 'assistant',
  thinking: 'assistant',
  redacted_thinking: 'assistant',
};

function checkBlock(block: Block, role: Turn['role'], at: string): void {
  const { type } = block;
  if (typeof type !== 'string') throw new Error(`${at}.type: Field required`);
  if (ONLY_IN[type] !== undefined && ONLY_IN[type] !== role) {
    throw new Error(`${at}: ${type} blocks can only be in ${ONLY_IN[type]} messages`);
  }
  if (type === 'text') checkText(block['text'], at);
  if (type === 'thinking') {
    if (typeof block['thinking'] !== 'string') throw new Error(`${at}.thinking.thinking: Field required`);
    if (typeof block['signature'] !== 'string') throw new Error(`${at}.thinking.signature: Field required`);
    if (block['signature'] === '' || opened(block['signature'], block['thinking']) === undefined) {
      throw new Error(`${at}: Invalid \`signature\` in \`thinking\` block`);
    }
  }
  if (
    type === 'redacted_thinking' &&
    (typeof block['data'] !== 'string' || opened(block['data']) === undefined)
  ) {
    throw new Error(`${at}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
  if (type === 'tool_use') {
    if (typeof block['id'] !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(block['id'])) {
      throw new Error(`${at}.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'`);
    }
    checkName(block['name'], `${at}.tool_use.name`);
    if (!isObject(block['input']))
      throw new Error(`${at}.tool_use.input: Input should be a valid dictionary`);
  }
  if (type === 'tool_result') {
    if (typeof block['tool_use_id'] !== 'string')
      throw new Error(`${at}.tool_result.tool_use_id: Field required`);
    const content = block['content'];
    if (content !== undefined && content !== '') {
      for (const [index, inner] of contentBlocks(content, `${at}.tool_result.content`).entries()) {
        if (inner['type'] === 'text') checkText(inner['text'], `${at}.tool_result.content.${index}`);
      }
    }
    if (
      block['is_error'] === true &&
      (content === undefined || (content as string | unknown[]).length === 0)
    ) {
      throw new Error(`${at}.tool_result: content cannot be empty if \`is_error\` is true`);
    }
  }
}

function checkText(text: unknown, at: string): void {
  if (typeof text !== 'string') throw new Error(`${at}.text.text: Field required`);
  if (text === '') throw new Error(`${at}: text content blocks must be non-empty`);
  if (text.trim() === '') throw new Error(`${at}: text content blocks must contain non-whitespace text`);
}

/** Every tool_use is answered first thing in the very next message, and nothing else is. */
function checkResults(turns: readonly Turn[]): void {
  const known = new Set<string>();
  for (const [index, turn] of turns.entries()) {
    const open = new Set(idsOf(index === 0 ? [] : turns[index - 1]!.blocks, 'tool_use', 'id'));
    const answers = idsOf(turn.blocks, 'tool_result', 'tool_use_id');
    const firstOther = turn.blocks.findIndex((block) => block['type'] !== 'tool_result');
    for (const id of answers) {
      if (!open.delete(id)) {
        throw new Error(
          `${turn.at}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have one corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
    const late = firstOther !== -1 && firstOther < answers.length;
    if (open.size > 0 || late) {
      throw new Error(
        `messages.${index - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${[...(open.size > 0 ? open : answers)].join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block at the beginning of the next message.`,
      );
    }
    for (const id of idsOf(turn.blocks, 'tool_use', 'id')) {
      if (known.has(id)) throw new Error(`${turn.at}: \`tool_use\` ids must be unique`);
      known.add(id);
    }
  }
  const unanswered = idsOf(turns.at(-1)?.blocks ?? [], 'tool_use', 'id');
  if (unanswered.length > 0) {
    throw new Error(
      `messages.${turns.length - 1}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${unanswered.join(', ')}.`,
    );
  }
}

function idsOf(blocks: readonly Block[], type: string, field: string): string[] {
  return blocks.filter((block) => block['type'] === type).map((block) => String(block[field]));
}

function readTurn({ role, blocks }: Turn): SeenMessage[] {
  const text = textOf(blocks);
  if (role === 'assistant') {
    const thoughts = blocks
      .filter((block) => block['type'] === 'thinking')
      .map((block) => String(block['thinking']));
    return [
      {
        role,
        text,
        calls: blocks
          .filter((block) => block['type'] === 'tool_use')
          .map((block) => ({
            id: String(block['id']),
            name: String(block['name']),
            arguments: block['input'],
          })),
        thinking: thoughts.length === 0 ? undefined : thoughts.join(''),
        opaque: opaqueOf(blocks),
      } satisfies Assistant,
    ];
  }
  const results = blocks.filter((block) => block['type'] === 'tool_result');
  const seen: SeenMessage[] = results.map((block, index) => ({
    role: 'tool',
    callId: String(block['tool_use_id']),
    name: undefined,
    text:
      typeof block['content'] === 'string' ? block['content'] : textOf((block['content'] ?? []) as Block[]),
    isError: block['is_error'] === true,
    sameTurn: index > 0,
  }));
  const images = blocks.filter((block) => block['type'] === 'image').map((block) => imageOf(block['source']));
  if (results.length < blocks.length) seen.push({ role: 'user', text, images });
  return seen;
}

function opaqueOf(blocks: readonly Block[]): string[] {
  return blocks
    .flatMap((block) =>
      block['type'] === 'thinking'
        ? [opened(String(block['signature']), String(block['thinking']))]
        : block['type'] === 'redacted_thinking'
          ? [opened(String(block['data']))]
          : [],
    )
    .filter((token) => token !== undefined && token !== '') as string[];
}

function textOf(blocks: readonly Block[]): string {
  return blocks
    .filter((block) => block['type'] === 'text')
    .map((block) => String(block['text']))
    .join('');
}

function imageOf(source: unknown): { data: string; mediaType: string | undefined } {
  const { type, data, url, file_id: fileId, media_type: mediaType } = isObject(source) ? source : {};
  if (type === 'url' && typeof url === 'string') return { data: url, mediaType: undefined };
  if (type === 'file' && typeof fileId === 'string') return { data: fileId, mediaType: undefined };
  if (type !== 'base64' || typeof data !== 'string' || typeof mediaType !== 'string') {
    throw new Error("image.source: Input should be of type 'base64' (data, media_type) or 'url' (url)");
  }
  return { data, mediaType };
}

function readSystem(system: unknown): string[] {
  if (system === undefined) return [];
  if (typeof system === 'string') return system === '' ? [] : [system];
  return contentBlocks(system, 'system').map((block, index) => {
    checkText(block['text'], `system.${index}`);
    return String(block['text']);
  });
}

function fraction(value: unknown, name: string): number | undefined {
  if (value === undefined) return undefined;
  if (typeof value !== 'number' || value < 0 || value > 1) throw new Error(`${name}: range: 0..1`);
  return value;
}
