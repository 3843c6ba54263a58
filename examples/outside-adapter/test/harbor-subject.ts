import type { AdapterUnderTest } from '@glassloop/conformance';
import { harbor } from '../src/harbor.ts';
import { harborChat } from './harbor-wire.ts';

export default {
  module: import.meta.url,
  wire: harborChat,
  create: (settings) => harbor({ model: 'test-model', ...settings }),
} satisfies AdapterUnderTest;
