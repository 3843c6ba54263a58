import { describeAdapter } from '@glassloop/conformance';
import { groqChat } from '@glassloop/simulator';
import { groq } from '../src/index.ts';

describeAdapter('groq', {
  wire: groqChat,
  create: (settings) => groq({ model: 'openai/gpt-oss-20b', ...settings }),
});
