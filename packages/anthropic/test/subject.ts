import type { AdapterUnderTest } from '@glassloop/conformance';
import { anthropicMessages } from '@glassloop/simulator';
import { anthropic } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: anthropicMessages,
  create: (settings) => anthropic({ model: 'claude-sonnet-4-5', ...settings }),
} satisfies AdapterUnderTest;
