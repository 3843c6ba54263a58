import type { AdapterUnderTest } from '@glassloop/conformance';
import { mistralChat } from '@glassloop/simulator';
import { mistral } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: mistralChat,
  create: (settings) => mistral({ model: 'mistral-small-latest', ...settings }),
} satisfies AdapterUnderTest;
