import { openaiChat } from '@glassloop/simulator';
import { describeAdapter } from '../src/index.ts';
import { reference } from './reference-adapter.ts';

describeAdapter('the reference adapter', {
  wire: openaiChat,
  create: (settings) => reference({ model: 'test-model', ...settings }),
});
