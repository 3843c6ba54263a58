/** Copied beside tool-loop.cjs: the packages by require(). */

require('./tool-loop.cjs').tryAdapters(require, process.argv.slice(2));
