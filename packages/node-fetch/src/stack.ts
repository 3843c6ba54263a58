/** What stands on node:http. Loaded with the first call: that stack takes longer to load than most programs. */

export { Connections } from './connections.ts';
export { follow } from './follow.ts';
