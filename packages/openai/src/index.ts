import type { Adapter, AdapterSettings } from '@glassloop/core/adapter';
import { createAdapter } from './adapter.ts';

/**
 * Settings of `openai`. No `apiKey`: `OPENAI_API_KEY`, but only for OpenAI's own host. With another `baseURL` the
 * variable is never read, and without `apiKey` no authorization header is sent.
 */
export interface OpenAISettings extends AdapterSettings {
  /** Sent as `OpenAI-Organization`. The variable `OPENAI_ORG_ID` is never read. */
  readonly organization?: string;
  /** Sent as `OpenAI-Project`. The variable `OPENAI_PROJECT_ID` is never read. */
  readonly project?: string;
  /** The request field for `maxTokens`. Default: `max_completion_tokens` on OpenAI's host and for its reasoning models, else `max_tokens`. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens';
}

/** Chat completions of OpenAI, and of any host that speaks the same (`baseURL`), through the `openai` SDK. */
export function openai(settings: OpenAISettings): Adapter {
  return createAdapter(settings);
}
