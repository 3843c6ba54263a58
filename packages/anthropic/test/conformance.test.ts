import { describeAdapter } from '@glassloop/conformance';
import { anthropicMessages } from '@glassloop/simulator';
import { anthropic } from '../src/index.ts';

describeAdapter('anthropic', {
  wire: anthropicMessages,
  create: (settings) => anthropic({ model: 'claude-sonnet-4-5', ...settings }),
});
