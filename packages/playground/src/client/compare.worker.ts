import { type CompareQuestion, compareTraces } from './compare-traces.ts';

addEventListener('message', ({ data }: MessageEvent<CompareQuestion>) => {
  try {
    postMessage(compareTraces(data));
  } catch (error) {
    postMessage({ failed: String(error) });
  }
});
