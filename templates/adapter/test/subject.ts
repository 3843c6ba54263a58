import type { AdapterUnderTest } from '@glassloop/conformance';
import { openaiChat } from '@glassloop/simulator';
import { __camel__ } from '../src/index.ts';

export default {
  module: import.meta.url,
  // OpenAI's wire format until __Pascal__'s own differs: wrap it, or write another WireFormat.
  wire: openaiChat,
  create: (settings) => __camel__({ model: 'test-model', ...settings }),
} satisfies AdapterUnderTest;
