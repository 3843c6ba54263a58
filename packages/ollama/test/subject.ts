import type { AdapterUnderTest } from '@glassloop/conformance';
import { ollamaChat } from '@glassloop/simulator';
import { ollama } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: ollamaChat,
  create: (settings) => ollama({ model: 'qwen3:8b', ...settings }),
} satisfies AdapterUnderTest;
