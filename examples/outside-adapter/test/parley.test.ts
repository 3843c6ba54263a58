import { describeAdapter } from '@glassloop/conformance';
import subject from './parley-subject.ts';

describeAdapter('parley', subject);
