import { describeAdapter } from '@glassloop/conformance';
import { harbor } from '../src/harbor.ts';
import { harborChat } from './harbor-wire.ts';

describeAdapter('harbor', {
  wire: harborChat,
  create: (settings) => harbor({ model: 'test-model', ...settings }),
});
