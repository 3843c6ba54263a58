export type { RunRequest, RunStatus, StreamLine } from './protocol.ts';
