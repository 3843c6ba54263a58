import type { InspectorProps } from '../inspector/inspector.tsx';
import { lazy } from '../ui/lazy.tsx';

/** The inspector is the largest part of the page; the form is there before it. */
export const Inspector = lazy<InspectorProps>(
  async () => (await import('../inspector/inspector.tsx')).Inspector,
);
