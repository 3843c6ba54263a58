import { type Adapter, type AdapterSettings, checkSettings } from '@glassloop/core/adapter';
import { ollamaAdapter } from './adapter.ts';

/**
 * `baseURL` without `/api`, default `http://localhost:11434`. `apiKey` is needed for `https://ollama.com` only, where
 * it defaults to OLLAMA_API_KEY; elsewhere no key is read, and one that is given is sent as `authorization: Bearer`.
 */
export interface OllamaSettings extends AdapterSettings {}

/** An adapter for one model of an Ollama server, over the official `ollama` SDK and the native `/api/chat`. */
export function ollama(settings: OllamaSettings): Adapter {
  const keyVariable = isOllamaCloud(settings?.baseURL) ? 'OLLAMA_API_KEY' : undefined;
  return ollamaAdapter(checkSettings('ollama', settings, keyVariable));
}

function isOllamaCloud(baseURL: unknown): boolean {
  try {
    return typeof baseURL === 'string' && new URL(baseURL).hostname === 'ollama.com';
  } catch {
    return false;
  }
}
