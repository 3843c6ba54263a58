import type { AdapterUnderTest } from '@glassloop/conformance';
import { openaiChat } from '@glassloop/simulator';
import { openai } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: openaiChat,
  create: (settings) => openai({ model: 'gpt-4o-mini', ...settings }),
} satisfies AdapterUnderTest;
