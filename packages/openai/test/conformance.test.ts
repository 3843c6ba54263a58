import { describeAdapter } from '@glassloop/conformance';
import { openaiChat } from '@glassloop/simulator';
import { openai } from '../src/index.ts';

describeAdapter('openai', {
  wire: openaiChat,
  create: (settings) => openai({ model: 'gpt-4o-mini', ...settings }),
});
