/** What is published is the workspace's package.json without what only the workspace needs. */

const { relative, sep } = require('node:path');

function withoutSource(exports) {
  return Object.fromEntries(
    Object.entries(exports).map(([door, target]) => {
      if (typeof target === 'string') return [door, target];
      // Tests and type checks of this repository read the sources through it; they are not published.
      const { '@glassloop/source': _, ...published } = target;
      return [door, published];
    }),
  );
}

module.exports = {
  hooks: {
    beforePacking({ exports, scripts: _, devDependencies: __, ...manifest }, directory) {
      // npm compares it with where the release was built (provenance), so it is taken from there.
      const { GITHUB_SERVER_URL: server = 'https://github.com', GITHUB_REPOSITORY: name } = process.env;
      const repository = name && {
        type: 'git',
        url: `git+${server}/${name}.git`,
        directory: relative(__dirname, directory).split(sep).join('/'),
      };
      return {
        ...manifest,
        ...(repository ? { repository } : {}),
        ...(exports === undefined ? {} : { exports: withoutSource(exports) }),
      };
    },
  },
};
