/** Copied beside tool-loop.cjs: the packages by import. */

import toolLoop from './tool-loop.cjs';

await toolLoop.tryAdapters((name) => import(name), process.argv.slice(2));
