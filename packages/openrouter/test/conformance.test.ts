import { describeAdapter } from '@glassloop/conformance';
import subject from './subject.ts';

describeAdapter('openrouter', subject);
