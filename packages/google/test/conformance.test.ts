import { describeAdapter } from '@glassloop/conformance';
import { googleGenerateContent } from '@glassloop/simulator';
import { google } from '../src/index.ts';
import { deviations } from './deviations.ts';

describeAdapter('google', {
  wire: googleGenerateContent,
  create: (settings) => google({ model: 'gemini-2.5-flash', ...settings }),
  deviations,
});
