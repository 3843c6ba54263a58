/** Trace files of any size, in Node. */

export { type FileLine, readLines } from './read-lines.ts';
export {
  type FileStep,
  type FileTraceIndex,
  indexTraceFile,
  LineLoader,
  type ReadOptions,
  TraceFileReader,
} from './trace-file-reader.ts';
