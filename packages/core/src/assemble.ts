import type {
  Dropped,
  Origin,
  RunAugmentation,
  Skill,
  SkillPolicy,
  Snippet,
  Source,
} from './augmentation.ts';
import { defined } from './check.ts';
import { copiedConversation } from './conversation.ts';
import { deepFreeze } from './freeze.ts';
import type { Message, UserMessage } from './message.ts';
import { droppedSkill, type SkillBlock, skillBlock } from './skill-block.ts';
import { utf8Bytes, wellFormed } from './text.ts';

/** What a run sends before anything has been answered, and where each piece of it comes from. */
export interface Assembly {
  readonly messages: readonly Message[];
  readonly sources: readonly Source[];
  readonly dropped: readonly Dropped[];
  /** Tools that the configured skills restrict the run to; undefined: no restriction. */
  readonly skillTools: readonly string[] | undefined;
}

export interface PromptParts {
  readonly messages: readonly Message[];
  readonly systemPrompt?: string | undefined;
  readonly systemPromptOrigin?: Origin | undefined;
  readonly snippets?: readonly Snippet[] | undefined;
  readonly skills?: readonly Skill[] | undefined;
  readonly skillPolicy?: SkillPolicy | undefined;
  readonly augmentation?: RunAugmentation | undefined;
}

/**
 * Puts the prompt together, once per run: the system prompt with the configured snippets, one system message per
 * forced snippet, then the conversation with all skills in front of its first user message. The caller's own system
 * messages stay where they are, behind the system prompt. Returns new, frozen messages; changes nothing it was given.
 */
export async function assemblePrompt(parts: PromptParts): Promise<Assembly> {
  const { augmentation = {} } = parts;
  const conversation = copiedConversation(parts.messages);
  const messages: Message[] = [];
  const sources: Source[] = [];
  const dropped: Dropped[] = [...(augmentation.missing ?? [])];

  const snippetIds = new Set<string>();
  const configured = usableSnippets(parts.snippets ?? [], snippetIds, dropped);
  const forced = usableSnippets(augmentation.forcedSnippets ?? [], snippetIds, dropped);
  const lead = leadingSystem(parts, configured, dropped);
  if (lead.text !== '') {
    messages.push({ role: 'system', content: lead.text });
    sources.push(...lead.sources);
  }
  for (const snippet of forced) {
    const text = snippetText(snippet);
    sources.push(snippetSource(snippet, messages.length, text));
    messages.push({ role: 'system', content: text });
  }

  const block = await skillBlock(parts.skills ?? [], augmentation.forcedSkills ?? [], parts.skillPolicy);
  dropped.push(...block.dropped);
  const target = block.text === '' ? undefined : conversation.find((message) => message.role === 'user');
  if (block.text !== '' && target === undefined) {
    for (const { skill } of block.sections) dropped.push(droppedSkill(skill, 'no_user_message'));
  }
  for (const [index, message] of conversation.entries()) {
    if (message.role === 'system' && message.content.trim() === '') {
      dropped.push({ kind: 'system_prompt', id: `messages[${index}]`, reason: 'empty' });
      continue;
    }
    if (message === target) sources.push(...withSkills(target, block, messages));
    else {
      sources.push({ kind: 'caller', message: messages.length, bytes: messageBytes(message) });
      messages.push(message);
    }
  }
  return deepFreeze({ messages, sources, dropped, skillTools: block.allowedTools });
}

/** The messages with the skills before the first user message; checksum, trust and budget apply. Returns a new list. */
export async function augmentMessages(
  messages: readonly Message[],
  skills: readonly Skill[],
  policy?: SkillPolicy,
): Promise<readonly Message[]> {
  return (await assemblePrompt({ messages, skills, skillPolicy: policy })).messages;
}

function usableSnippets(snippets: readonly Snippet[], seen: Set<string>, dropped: Dropped[]): Snippet[] {
  return snippets.filter((snippet) => {
    const reason =
      snippet.active === false
        ? 'disabled'
        : snippet.text.trim() === ''
          ? 'empty'
          : seen.has(snippet.id)
            ? 'duplicate'
            : undefined;
    if (reason === undefined) {
      seen.add(snippet.id);
      return true;
    }
    dropped.push({
      kind: 'snippet',
      id: snippet.id,
      reason,
      ...defined({ origin: snippet.origin }),
    });
    return false;
  });
}

function leadingSystem(
  { systemPrompt: configured, systemPromptOrigin: origin, augmentation }: PromptParts,
  snippets: readonly Snippet[],
  dropped: Dropped[],
): { readonly text: string; readonly sources: readonly Source[] } {
  const override = augmentation?.systemPrompt;
  const isOverridden = override !== undefined && override.trim() !== '';
  const prompt = wellFormed((isOverridden ? override : configured) ?? '');
  if (isOverridden && configured !== undefined && configured.trim() !== '') {
    dropped.push({ kind: 'system_prompt', id: 'configuration', reason: 'overridden' });
  }
  const sources: Source[] = [];
  let text = '';
  const add = (part: string, source: (range: readonly [number, number]) => Source) => {
    if (text !== '') text += '\n\n';
    const start = text.length;
    text += part;
    sources.push(source([start, text.length]));
  };
  if (prompt.trim() !== '') {
    const source: Pick<Source, 'kind' | 'origin'> = isOverridden
      ? { kind: 'override' }
      : { kind: 'configuration', ...defined({ origin }) };
    add(prompt, (range) => ({ ...source, message: 0, range, bytes: utf8Bytes(prompt) }));
  }
  for (const snippet of snippets) {
    const part = snippetText(snippet);
    add(part, (range) => ({ ...snippetSource(snippet, 0, part), range }));
  }
  return { text, sources };
}

function snippetText({ name, text }: Snippet): string {
  const label = name.trim();
  return wellFormed(label === '' ? text.trim() : `${label}:\n${text.trim()}`);
}

function snippetSource({ id, name, origin }: Snippet, message: number, text: string): Source {
  return {
    kind: 'snippet',
    id,
    name,
    message,
    bytes: utf8Bytes(text),
    ...defined({ origin }),
  };
}

/** Adds the user message with the block in front of it to `messages`; returns the sources of its stretches. */
function withSkills(target: UserMessage, block: SkillBlock, messages: Message[]): Source[] {
  const message = messages.length;
  const text = wellFormed(block.text);
  const isText = typeof target.content === 'string';
  const part = isText ? {} : { part: 0 };
  const sources: Source[] = block.sections.map(({ skill, start, end }) => ({
    kind: 'skill',
    id: skill.id,
    name: skill.name,
    message,
    ...part,
    range: [start, end],
    bytes: utf8Bytes(text.slice(start, end)),
    ...defined({ origin: skill.origin }),
  }));
  if (typeof target.content === 'string') {
    const content = `${text}\n\n${target.content}`;
    messages.push({ role: 'user', content });
    sources.push({
      kind: 'caller',
      message,
      range: [text.length + 2, content.length],
      bytes: utf8Bytes(target.content),
    });
    return sources;
  }
  messages.push({ role: 'user', content: [{ type: 'text', text }, ...target.content] });
  for (const [index, original] of target.content.entries()) {
    const bytes = utf8Bytes(original.type === 'text' ? original.text : original.data);
    sources.push({ kind: 'caller', message, part: index + 1, bytes });
  }
  return sources;
}

function messageBytes(message: Message): number {
  if (typeof message.content !== 'string') {
    return message.content.reduce(
      (sum, part) => sum + utf8Bytes(part.type === 'text' ? part.text : part.data),
      0,
    );
  }
  let bytes = utf8Bytes(message.content);
  if (message.role === 'assistant')
    for (const call of message.toolCalls) bytes += utf8Bytes(call.argumentsJson);
  return bytes;
}
