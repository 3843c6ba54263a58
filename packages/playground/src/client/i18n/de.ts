import { inspector } from './de/inspector.ts';
import { screens } from './de/screens.ts';
import { steps } from './de/steps.ts';
import type { Catalogue } from './index.ts';

/** German. */
export const de: Catalogue = { ...screens, ...inspector, ...steps };
