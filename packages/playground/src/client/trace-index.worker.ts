import { indexTrace } from './trace-index.ts';

addEventListener('message', ({ data }: MessageEvent<Blob>) => {
  indexTrace(data, new AbortController().signal, (part) => postMessage(part)).then(
    () => postMessage('done'),
    (error: unknown) => postMessage({ failed: String(error) }),
  );
});
