import { type Adapter, type AdapterSettings, checkSettings } from '@glassloop/core/adapter';
import { mistralAdapter } from './adapter.ts';

/** `apiKey` defaults to MISTRAL_API_KEY. `baseURL` with or without `/v1`; default `https://api.mistral.ai`. */
export interface MistralSettings extends AdapterSettings {}

/** An adapter for one model of Mistral's chat completions, over the official `@mistralai/mistralai` SDK. */
export function mistral(settings: MistralSettings): Adapter {
  return mistralAdapter(checkSettings('mistral', settings, 'MISTRAL_API_KEY'));
}
