import type { AdapterUnderTest } from '@glassloop/conformance';
import { groqChat } from '@glassloop/simulator';
import { groq } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: groqChat,
  create: (settings) => groq({ model: 'openai/gpt-oss-20b', ...settings }),
} satisfies AdapterUnderTest;
