import { groqChat } from '@glassloop/simulator';
import { scriptedProvider } from '../../../scripts/testing/provider.ts';
import { type GroqSettings, groq } from '../src/index.ts';

export * from '../../../scripts/testing/provider.ts';

export const scripted = scriptedProvider<GroqSettings, ReturnType<typeof groq>>(
  { wire: groqChat },
  (settings) => groq({ model: 'openai/gpt-oss-120b', apiKey: 'key-of-a-test', ...settings }),
);
