import type { Adapter, AdapterSettings } from '@glassloop/core/adapter';
import { createAdapter } from './adapter.ts';

/** Settings of `__camel__`. No `apiKey`: `__VARIABLE__`. */
export type __Pascal__Settings = AdapterSettings;

/** Chat completions of __Pascal__, through the `openai` SDK. */
export function __camel__(settings: __Pascal__Settings): Adapter {
  return createAdapter(settings);
}
