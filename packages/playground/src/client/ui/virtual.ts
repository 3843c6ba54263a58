import {
  elementScroll,
  observeElementOffset,
  observeElementRect,
  type Range,
  type VirtualItem,
  Virtualizer,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

interface VirtualRows {
  readonly items: readonly VirtualItem[];
  readonly height: number;
  scrollTo(index: number, align?: 'auto' | 'center' | 'end' | 'start'): void;
}

/**
 * Rows of which only those in sight exist. `keep`: a row that exists wherever it is. Heights that differ come with
 * `keyOf`, a new function whenever a height or a row changes.
 */
export function useVirtual(options: {
  readonly count: number;
  readonly rowHeight: number | ((index: number) => number);
  readonly keyOf?: (index: number) => string;
  readonly scroller: RefObject<HTMLElement | null>;
  readonly keep?: number | undefined;
  readonly overscan?: number;
}): VirtualRows {
  const [, render] = useReducer((count: number) => count + 1, 0);
  const { count, rowHeight, scroller, keep, overscan = 8 } = options;
  const settings = {
    count,
    overscan,
    estimateSize: typeof rowHeight === 'number' ? () => rowHeight : rowHeight,
    ...(options.keyOf === undefined ? {} : { getItemKey: options.keyOf }),
    getScrollElement: () => scroller.current,
    scrollToFn: elementScroll,
    observeElementRect,
    observeElementOffset,
    onChange: () => render(undefined),
    rangeExtractor: (range: Range) => indexesOf(range, keep),
    initialRect: { width: 0, height: 600 },
  };
  const instance = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  instance.current ??= new Virtualizer<HTMLElement, HTMLElement>(settings);
  const virtualizer = instance.current;
  virtualizer.setOptions(settings);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return {
    items: virtualizer.getVirtualItems(),
    height: virtualizer.getTotalSize(),
    scrollTo: (index, align = 'auto') => virtualizer.scrollToIndex(index, { align }),
  };
}

function indexesOf(range: Range, keep: number | undefined): number[] {
  const from = Math.max(0, range.startIndex - range.overscan);
  const to = Math.min(range.count - 1, range.endIndex + range.overscan);
  const indexes = Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
  if (keep === undefined || keep < 0 || keep >= range.count) return indexes;
  if (keep < from) return [keep, ...indexes];
  return keep > to ? [...indexes, keep] : indexes;
}
