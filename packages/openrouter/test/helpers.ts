import { openrouterChat } from '@glassloop/simulator';
import { scriptedProvider } from '../../../scripts/testing/provider.ts';
import { type OpenRouterSettings, openrouter } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const scripted = scriptedProvider<OpenRouterSettings, ReturnType<typeof openrouter>>(
  { wire: openrouterChat },
  (settings) => openrouter({ model: 'some/model', apiKey: 'key-of-a-test', ...settings }),
);
