import { describeAdapter } from '@glassloop/conformance';
import subject from './subject.ts';

describeAdapter('ollama', subject);
