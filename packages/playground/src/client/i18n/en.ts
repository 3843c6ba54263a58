import { inspector } from './en/inspector.ts';
import { screens } from './en/screens.ts';
import { steps } from './en/steps.ts';

/** Every text of the page. The keys are checked when it is compiled; `{n}` chooses between one and other. */
export const en = { ...screens, ...inspector, ...steps };
