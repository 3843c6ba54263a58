import type { Adapter, AdapterSettings } from '@glassloop/core/adapter';
import { createAdapter } from './adapter.ts';

/** Settings of `groq`. No `apiKey`: `GROQ_API_KEY`. `baseURL` may end in `/openai/v1` or not. */
export type GroqSettings = AdapterSettings;

/** Chat completions of Groq, through the official `groq-sdk`. */
export function groq(settings: GroqSettings): Adapter {
  return createAdapter(settings);
}
