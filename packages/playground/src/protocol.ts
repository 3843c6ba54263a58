/**
 * What the server and its page say to each other: the lines of a live run, and the bodies of `/api/v1`.
 * Shared by both sides. Where this file and a step disagree, the step (core's RunStep) is the truth.
 */

export * from './protocol/catalog.ts';
export * from './protocol/history.ts';
export * from './protocol/problem.ts';
export * from './protocol/requests.ts';
export * from './protocol/share.ts';
export * from './protocol/stream.ts';
