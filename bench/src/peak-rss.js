/** Ten runs of one variant, then this process's peak of resident memory, in KB. */

import { nodeFetch } from '@glassloop/node-fetch';
import { sdkLoop } from './by-hand.js';
import { startLoopback } from './loopback.js';
import { glassloop, newCapturingTrace, newTrace } from './loops.js';

const [variant, text] = process.argv.slice(2);
const plan = JSON.parse(text);
const server = await startLoopback();
const work = { ...plan, baseURL: server.baseURL(plan) };
const loop = {
  sdk: () => sdkLoop(work),
  plain: () => glassloop(work),
  traced: () => glassloop(work, newTrace),
  captured: () => glassloop(work, newCapturingTrace),
  lean: () => glassloop({ ...work, fetch: nodeFetch() }),
}[variant]();
for (let run = 0; run < 10; run++) await loop();
process.stdout.write(String(process.resourceUsage().maxRSS));
server.stop();
