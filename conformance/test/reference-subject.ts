import { openaiChat } from '@glassloop/simulator';
import type { AdapterUnderTest } from '../src/index.ts';
import { reference } from './reference-adapter.ts';

export default {
  module: import.meta.url,
  wire: openaiChat,
  create: (settings) => reference({ model: 'test-model', ...settings }),
} satisfies AdapterUnderTest;
