import { type Adapter, type AdapterSettings, checkSettings } from '@glassloop/core/adapter';
import { createAdapter } from './adapter.ts';

/**
 * `apiKey` defaults to the environment variable ANTHROPIC_API_KEY and goes out as `authorization: Bearer`; `baseURL`
 * is without `/v1` and defaults to https://api.anthropic.com. No other variable of the SDK is read. A header
 * `anthropic-version` of yours replaces the adapter's own choice.
 */
export type AnthropicSettings = AdapterSettings;

/** An adapter for Claude models over Anthropic's Messages API. Throws TypeError for wrong settings, AdapterError "auth" without a key. */
export function anthropic(settings: AnthropicSettings): Adapter {
  return createAdapter(checkSettings('anthropic', settings, 'ANTHROPIC_API_KEY'));
}
