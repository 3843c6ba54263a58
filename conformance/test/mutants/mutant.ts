import type { Adapter, ModelRequest, ModelResponse, ToolCall } from '@glassloop/core/adapter';
import { openaiChat, type WireFormat } from '@glassloop/simulator';
import type { CaseId, SubjectSettings } from '../../src/index.ts';
import { type Parts, reference } from '../reference-adapter.ts';
import { toBody } from '../reference-request.ts';
import { fromBody } from '../reference-response.ts';

/** The reference adapter with one fault. */
export interface Mutant {
  /** What it does wrong, in the third person. */
  readonly fault: string;
  /** The case that is there for this fault. Its streamed twin counts as the same case. */
  readonly caughtBy: CaseId;
  /** Further cases of the same area that cannot but fail with it. */
  readonly also: readonly CaseId[];
  readonly wire: WireFormat;
  readonly create: (settings: SubjectSettings) => Adapter;
  /** Where it is exported, for a process of its own. */
  readonly module?: string;
}

interface Where {
  readonly also?: readonly CaseId[];
  readonly wire?: WireFormat;
  readonly module?: string;
}

export function mutant(
  caughtBy: CaseId,
  fault: string,
  create: Mutant['create'],
  { also = [], wire = openaiChat, ...where }: Where = {},
): Mutant {
  return { fault, caughtBy, also, wire, create, ...where };
}

export const settingsOf = (settings: SubjectSettings) => ({ model: 'test-model', ...settings });

/** With some of its functions replaced. */
export function parts(changed: Partial<Parts>): Mutant['create'] {
  return (settings) => reference(settingsOf(settings), changed);
}

// biome-ignore lint/suspicious/noExplicitAny: mutants reach into bodies of every shape, and nothing depends on them
export type Loose = any;

/** Sends another body. `change` may edit the body in place or return another one. */
export function sends(change: (body: Loose, request: ModelRequest) => void): Mutant['create'] {
  return parts({
    toBody: (model, request, adapter) => {
      const { body, warnings } = toBody(model, request, adapter);
      const changed = structuredClone(body);
      change(changed, request);
      return { body: changed, warnings };
    },
  });
}

/** Reads another body than the one that came. */
export function reads(change: (body: Loose) => void): Mutant['create'] {
  return parts({
    fromBody: (body, around) => {
      const changed = structuredClone(body);
      change(changed);
      return fromBody(changed, around);
    },
  });
}

/** Answers something else. */
export function answers(
  change: (response: Loose, request: ModelRequest, settings: SubjectSettings) => Loose,
): Mutant['create'] {
  return (settings) => {
    const inner = reference(settingsOf(settings));
    return {
      ...inner,
      chat: async (request) => change({ ...(await inner.chat(request)) }, request, settings) as ModelResponse,
    };
  };
}

/** Declares something else. */
export function declares(capabilities: Partial<Adapter['capabilities']>): Mutant['create'] {
  return (settings) => {
    const inner = reference(settingsOf(settings));
    return { ...inner, capabilities: { ...inner.capabilities, ...capabilities } };
  };
}

/** Does something else around the call. */
export function calls(
  chat: (inner: Adapter, request: ModelRequest, settings: SubjectSettings) => Promise<ModelResponse>,
): Mutant['create'] {
  return (settings) => {
    const inner = reference(settingsOf(settings));
    return { ...inner, chat: (request) => chat(inner, request, settings) };
  };
}

/** Uses another fetch. */
export function fetches(
  wrap: (base: typeof fetch, settings: SubjectSettings) => typeof fetch,
): Mutant['create'] {
  return (settings) => reference({ ...settingsOf(settings), fetch: wrap(settings.fetch ?? fetch, settings) });
}

export function withCalls(response: Loose, change: (calls: ToolCall[]) => Loose): Loose {
  return {
    ...response,
    message: { ...response.message, toolCalls: change([...response.message.toolCalls]) },
  };
}

export function withContent(response: Loose, content: string): Loose {
  return { ...response, message: { ...response.message, content } };
}
