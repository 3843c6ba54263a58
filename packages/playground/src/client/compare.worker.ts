import { type CompareQuestion, compareTraces } from './compare-traces.ts';

onmessage = ({ data }: MessageEvent<CompareQuestion>) => {
  try {
    postMessage(compareTraces(data));
  } catch (error) {
    postMessage({ failed: String(error) });
  }
};
