/** The parts of a Messages request around its messages: tools, tool choice, thinking, stop texts. */

import { isObject } from './answer-parts.ts';
import type { SeenRequest } from './wire-format.ts';

/** undefined stands for a tool that runs on the provider's side. */
export function readTools(tools: unknown): (SeenRequest['tools'][number] | undefined)[] {
  if (tools === undefined) return [];
  if (!Array.isArray(tools)) throw new Error('tools: Input should be a valid list');
  const names = new Set<unknown>();
  return tools.map((tool: unknown, index) => {
    if (!isObject(tool)) throw new Error(`tools.${index}: Input should be an object`);
    const at = `tools.${index}.custom`;
    checkName(tool['name'], `${at}.name`);
    if (names.has(tool['name'])) throw new Error('tools: Tool names must be unique.');
    names.add(tool['name']);
    if (tool['type'] !== undefined && tool['type'] !== 'custom') return undefined;
    const schema = tool['input_schema'];
    if (!isObject(schema)) throw new Error(`${at}.input_schema: Field required`);
    if (schema['type'] !== 'object') throw new Error(`${at}.input_schema.type: Input should be 'object'`);
    if (['oneOf', 'anyOf', 'allOf'].some((word) => word in schema)) {
      throw new Error(
        `${at}.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level`,
      );
    }
    return {
      name: String(tool['name']),
      description: String(tool['description'] ?? ''),
      parameters: schema,
    };
  });
}

export function readToolChoice(
  body: Record<string, unknown>,
  toolCount: number,
): Pick<SeenRequest, 'toolChoice' | 'parallelToolCalls'> {
  const choice = body['tool_choice'];
  if (choice === undefined) return { toolChoice: undefined, parallelToolCalls: undefined };
  if (!isObject(choice)) throw new Error('tool_choice: Input should be an object');
  if (toolCount === 0) throw new Error('tool_choice: may only be specified while providing tools');
  const { type, name, disable_parallel_tool_use: disabled } = choice;
  if (!['auto', 'any', 'none', 'tool'].includes(String(type))) {
    throw new Error("tool_choice.type: Input should be 'auto', 'any', 'none' or 'tool'");
  }
  if (type === 'none' && disabled !== undefined) {
    throw new Error('tool_choice.none.disable_parallel_tool_use: Extra inputs are not permitted');
  }
  const tools = body['tools'] as readonly Record<string, unknown>[];
  if (type === 'tool' && !tools.some((tool) => tool['name'] === name)) {
    throw new Error(`tool_choice.tool.name: Tool '${String(name)}' not found in provided tools`);
  }
  return {
    toolChoice:
      type === 'any' ? 'required' : type === 'tool' ? { tool: String(name) } : (type as 'auto' | 'none'),
    parallelToolCalls: typeof disabled === 'boolean' ? !disabled : undefined,
  };
}

export function readThinking(body: Record<string, unknown>, maxTokens: number): boolean | undefined {
  const thinking = body['thinking'];
  if (thinking === undefined) return undefined;
  const { type, budget_tokens: budget } = isObject(thinking) ? thinking : {};
  if (type === 'disabled') return false;
  if (type !== 'enabled' && type !== 'adaptive') {
    throw new Error("thinking.type: Input should be 'enabled', 'disabled' or 'adaptive'");
  }
  const choice = body['tool_choice'];
  if (isObject(choice) && (choice['type'] === 'any' || choice['type'] === 'tool')) {
    throw new Error('Thinking may not be enabled when tool_choice forces tool use.');
  }
  if (type === 'enabled') {
    if (typeof budget !== 'number') throw new Error('thinking.enabled.budget_tokens: Field required');
    if (budget < 1024) {
      throw new Error('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    }
    if (budget >= maxTokens) throw new Error('`max_tokens` must be greater than `thinking.budget_tokens`.');
  }
  if (body['temperature'] !== undefined && body['temperature'] !== 1) {
    throw new Error('`temperature` may only be set to 1 when thinking is enabled.');
  }
  return true;
}

export function readStop(stop: unknown): readonly string[] | undefined {
  if (stop === undefined) return undefined;
  if (!Array.isArray(stop) || !stop.every((text) => typeof text === 'string')) {
    throw new Error('stop_sequences: Input should be a valid list of strings');
  }
  if (stop.some((text) => text.trim() === '')) {
    throw new Error('stop_sequences: each stop sequence must contain non-whitespace');
  }
  return stop;
}

export function checkName(name: unknown, at: string): void {
  if (typeof name !== 'string' || !/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
    throw new Error(`${at}: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
  }
}
