import { describeAdapter } from '@glassloop/conformance';
import { mistralChat } from '@glassloop/simulator';
import { mistral } from '../src/index.ts';

describeAdapter('mistral', {
  wire: mistralChat,
  create: (settings) => mistral({ model: 'mistral-small-latest', ...settings }),
});
