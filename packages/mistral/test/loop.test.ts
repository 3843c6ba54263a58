import { describeRuns } from '../../../scripts/testing/runs.ts';
import { scripted } from './helpers.ts';

describeRuns(scripted);
