import { describeAdapter } from '@glassloop/conformance';
import subject from './harbor-subject.ts';

describeAdapter('harbor', subject);
