import type { AdapterUnderTest } from '@glassloop/conformance';
import { openrouterChat } from '@glassloop/simulator';
import { openrouter } from '../src/index.ts';

export default {
  module: import.meta.url,
  wire: openrouterChat,
  create: (settings) => openrouter({ model: 'some/model', ...settings }),
} satisfies AdapterUnderTest;
