import type { AdapterUnderTest } from '@glassloop/conformance';
import { parley } from '../src/parley.ts';
import { parleyTurn } from './parley-wire.ts';

export default {
  module: import.meta.url,
  wire: parleyTurn,
  create: (settings) => parley({ model: 'test-model', ...settings }),
} satisfies AdapterUnderTest;
