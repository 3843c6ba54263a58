import type { AssembledStep, Message, Source } from '@glassloop/core';
import type { Prepared } from './prepare.ts';
import { byteLength } from './render/text.ts';

/** What `assemble --json` prints: everything a run would send, and where it comes from. */
export interface AssemblyDocument {
  readonly configuration?: string;
  readonly provider: string;
  readonly model: string;
  readonly settings: AssembledStep['settings'];
  readonly messages: readonly AssembledMessage[];
  readonly tools: readonly AssembledTool[];
  readonly dropped: AssembledStep['dropped'];
  /** What the adapter sends differently. */
  readonly warnings: readonly string[];
  /** Estimated from bytes. */
  readonly tokens: { readonly messages: number; readonly tools: number; readonly all: number };
  /** The body of the first request; absent where the adapter cannot say. */
  readonly request?: unknown;
}

export interface AssembledMessage {
  readonly role: Message['role'];
  readonly bytes: number;
  readonly tokens: number;
  /** Bytes that come from no source: blank lines, labels, the fence around skills. */
  readonly framingBytes: number;
  readonly parts: readonly AssembledPart[];
}

export interface AssembledPart {
  readonly kind: Source['kind'];
  readonly id?: string;
  readonly name?: string;
  readonly file?: string;
  readonly fromLine?: number;
  readonly toLine?: number;
  readonly bytes: number;
  readonly tokens: number;
  readonly text: string;
}

export interface AssembledTool {
  readonly name: string;
  /** A file, `built in`, or an MCP server. */
  readonly source: string;
  readonly line?: number;
  readonly description: string;
  readonly parameters: unknown;
  /** The entry in the request, its schema rewritten for the provider; absent where the adapter cannot say. */
  readonly sent?: unknown;
  readonly bytes: number;
  readonly tokens: number;
}

/** Prose has about 3.5 bytes a token in the vocabularies of today's models, JSON about 2.5. */
const proseTokens = (bytes: number): number => Math.ceil(bytes / 3.5);
const jsonTokens = (bytes: number): number => Math.ceil(bytes / 2.5);

export function assemblyDocument(
  step: AssembledStep,
  { adapter, run, resolved }: Prepared,
): AssemblyDocument {
  const options = run.options!.toCallOptions();
  let request: unknown;
  try {
    request = adapter.preview?.({ messages: step.added, tools: step.tools, options }).body;
  } catch {
    // Why it cannot be sent is among the warnings of the step.
  }
  const messages = step.added.map((message, index) => assembledMessage(message, index, step.sources));
  const tools = step.tools.map(({ name, description, parameters }): AssembledTool => {
    const sent = entryOf((request as { tools?: unknown } | undefined)?.tools, name);
    const bytes = byteLength(JSON.stringify(sent ?? { name, description, parameters }));
    return {
      name,
      ...sourceOfTool(name, resolved),
      description,
      parameters,
      ...(sent === undefined ? {} : { sent }),
      bytes,
      tokens: jsonTokens(bytes),
    };
  });
  const sum = (list: readonly { readonly tokens: number }[]): number =>
    list.reduce((all, { tokens }) => all + tokens, 0);
  return {
    ...(resolved === undefined ? {} : { configuration: resolved.configuration }),
    provider: adapter.name,
    model: adapter.model,
    settings: step.settings,
    messages,
    tools,
    dropped: step.dropped,
    warnings: step.warnings,
    tokens: { messages: sum(messages), tools: sum(tools), all: sum(messages) + sum(tools) },
    ...(request === undefined ? {} : { request }),
  };
}

function assembledMessage(message: Message, index: number, sources: readonly Source[]): AssembledMessage {
  const parts = sources
    .filter((source) => source.message === index)
    .map(({ kind, id, name, range, part, bytes, origin }): AssembledPart => {
      const whole = textOf(message, part);
      return {
        kind,
        ...(id === undefined ? {} : { id }),
        ...(name === undefined ? {} : { name }),
        ...origin,
        bytes,
        tokens: proseTokens(bytes),
        text: range === undefined ? whole : whole.slice(...range),
      };
    });
  const bytes = byteLength(textOf(message));
  const known = parts.reduce((all, part) => all + part.bytes, 0);
  return {
    role: message.role,
    bytes,
    tokens: proseTokens(bytes),
    framingBytes: Math.max(0, bytes - known),
    parts,
  };
}

function textOf({ content }: Message, part?: number): string {
  if (typeof content === 'string') return content;
  return content
    .filter((_, index) => part === undefined || index === part)
    .map((one) => (one.type === 'text' ? one.text : ''))
    .join('');
}

function sourceOfTool(
  name: string,
  resolved: Prepared['resolved'],
): { readonly source: string; readonly line?: number } {
  const origin = resolved?.toolOrigins.get(name);
  if (origin !== undefined)
    return { source: origin.file, ...(origin.fromLine === undefined ? {} : { line: origin.fromLine }) };
  const server = Object.keys(resolved?.mcpServers ?? {}).find((one) => name.startsWith(`${one}__`));
  return { source: server === undefined ? 'built in' : `MCP server ${server}` };
}

/** The entry of a tool somewhere in the tools of a body: each provider nests it in its own way. */
function entryOf(tools: unknown, name: string): unknown {
  if (typeof tools !== 'object' || tools === null) return undefined;
  if ((tools as { name?: unknown }).name === name) return tools;
  for (const inner of Object.values(tools)) {
    const found = entryOf(inner, name);
    if (found !== undefined) return found;
  }
  return undefined;
}
