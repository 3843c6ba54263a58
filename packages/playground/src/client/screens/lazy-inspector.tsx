import type { InspectorProps } from '../inspector/inspector.tsx';
import { lazy } from '../ui/lazy.tsx';

const load = async () => (await import('../inspector/inspector.tsx')).Inspector;

/** The inspector is the largest part of the page; the form is there before it. */
export const Inspector = lazy<InspectorProps>(load);

/** Fetches it while a person writes their prompt. */
export function prefetchInspector(): void {
  setTimeout(() => void load(), 300);
}
