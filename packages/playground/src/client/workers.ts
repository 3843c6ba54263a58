/** Work that is done beside the page. The single-file pages have `workers-none.ts` in this place: they may load nothing. */

import compareUrl from './compare.worker.ts?worker-chunk';
import type { CompareAnswer, CompareQuestion } from './compare-traces.ts';
import type { IndexedPart } from './trace-index.ts';
import indexUrl from './trace-index.worker.ts?worker-chunk';

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}

/** The only two addresses a worker of this page may have. */
const policy = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes?.createPolicy('app', {
  createScriptURL: (url) => {
    if (url !== compareUrl && url !== indexUrl) throw new TypeError('Not a worker of this page.');
    return url;
  },
});

function start(url: string): Worker {
  return new Worker((policy?.createScriptURL(url) ?? url) as string, { type: 'module' });
}

export function startIndexing(
  file: Blob,
  signal: AbortSignal,
  onPart: (part: IndexedPart) => void,
): Promise<void> {
  const worker = start(indexUrl);
  return new Promise<void>((resolve, reject) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    worker.onmessage = ({ data }: MessageEvent<IndexedPart | 'done' | { failed: string }>) => {
      if (data === 'done') resolve();
      else if ('failed' in data) reject(new Error(data.failed));
      else onPart(data);
    };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(file);
  }).finally(() => worker.terminate());
}

export function compare(question: CompareQuestion): Promise<CompareAnswer> {
  const worker = start(compareUrl);
  return new Promise<CompareAnswer>((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<CompareAnswer | { failed: string }>) =>
      'failed' in data ? reject(new Error(data.failed)) : resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(question);
  }).finally(() => worker.terminate());
}
