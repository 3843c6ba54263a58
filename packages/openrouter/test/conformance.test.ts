import { describeAdapter } from '@glassloop/conformance';
import { openrouterChat } from '@glassloop/simulator';
import { openrouter } from '../src/index.ts';

describeAdapter('openrouter', {
  wire: openrouterChat,
  create: (settings) => openrouter({ model: 'some/model', ...settings }),
});
