import { describeAdapter } from '@glassloop/conformance';
import { parley } from '../src/parley.ts';
import { parleyTurn } from './parley-wire.ts';

describeAdapter('parley', {
  wire: parleyTurn,
  create: (settings) => parley({ model: 'test-model', ...settings }),
});
