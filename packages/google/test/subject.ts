import type { AdapterUnderTest } from '@glassloop/conformance';
import { googleGenerateContent } from '@glassloop/simulator';
import { google } from '../src/index.ts';
import { deviations } from './deviations.ts';

export default {
  module: import.meta.url,
  wire: googleGenerateContent,
  create: (settings) => google({ model: 'gemini-2.5-flash', ...settings }),
  deviations,
} satisfies AdapterUnderTest;
