import type { Adapter, AdapterSettings } from '@glassloop/core/adapter';
import { createAdapter } from './adapter.ts';

/**
 * Settings of `openrouter`. No `apiKey`: `OPENROUTER_API_KEY`; the variables of OpenAI are never read.
 * `headers` takes `HTTP-Referer` and `X-Title`, by which OpenRouter names your app.
 */
export type OpenRouterSettings = AdapterSettings;

/** Chat completions of OpenRouter, through the `openai` SDK. */
export function openrouter(settings: OpenRouterSettings): Adapter {
  return createAdapter(settings);
}
