import { type Adapter, type AdapterSettings, checkSettings } from '@glassloop/core/adapter';
import { googleAdapter } from './adapter.ts';
import { MODEL_ID } from './models.ts';

/**
 * Settings of the Gemini API. `apiKey` defaults to GEMINI_API_KEY. `baseURL` is the address without the path that
 * names the model, with or without the API version (`/v1beta` by default).
 */
export type GoogleSettings = AdapterSettings;

/**
 * Gemini models through the Gemini API, over `@google/generative-ai`.
 *
 * Throws TypeError for wrong settings, AdapterError "auth" when there is no key.
 */
export function google(settings: GoogleSettings): Adapter {
  const checked = checkSettings('google', settings, 'GEMINI_API_KEY');
  if (!MODEL_ID.test(checked.model)) {
    throw new TypeError(
      `google(): model must be an id of letters, digits, dots, hyphens and underscores, with "models/" or "tunedModels/" before it if you like; got ${JSON.stringify(checked.model.slice(0, 60))}.`,
    );
  }
  return googleAdapter(checked);
}
