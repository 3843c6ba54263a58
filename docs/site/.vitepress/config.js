import { existsSync, statSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const repository = process.env.DOCS_REPOSITORY;

const page = (text, link) => ({ text, link });
const adapters = ['openai', 'anthropic', 'google', 'mistral', 'ollama', 'groq', 'openrouter'];
const packages = [
  'core',
  'cli',
  'playground',
  'project',
  'mcp',
  'trace',
  'otel',
  'node-fetch',
  'simulator',
].filter((name) => existsSync(join(root, 'packages', name, 'README.md')));

export default defineConfig({
  title: 'Glassloop',
  description: 'A bounded tool-calling loop for language models that you can look into.',
  srcDir: root,
  outDir: fileURLToPath(new URL('../dist', import.meta.url)),
  srcExclude: [
    '**/dist/**',
    '**/test/**',
    'templates/adapter/**',
    'docs/site/**',
    '.changeset/**',
    '**/fixtures/**',
    '**/.*/**',
  ],
  // A README is the page of its folder.
  rewrites: (id) => id.replace(/README\.md$/, 'index.md'),
  cleanUrls: true,
  // The pages lie outside of this folder, where they would find no Vue.
  vite: {
    resolve: {
      alias: [
        { find: /^vue(?=$|\/)/, replacement: fileURLToPath(new URL('../node_modules/vue', import.meta.url)) },
      ],
    },
  },
  markdown: {
    config: (markdown) => {
      // Indented commands look like those in a box.
      markdown.core.ruler.push('commands', ({ tokens }) => {
        for (const token of tokens)
          if (token.type === 'code_block') Object.assign(token, { type: 'fence', info: 'sh' });
      });
      markdown.core.ruler.push('links', (state) => rewriteLinks(state));
      // `<think>` in a sentence is text, not a component.
      const { html_inline: inline } = markdown.renderer.rules;
      markdown.renderer.rules.html_inline = (tokens, at, ...rest) =>
        /^<(!--|\/?(a|br|code|details|img|kbd|picture|source|sub|summary|sup)\b)/.test(tokens[at].content)
          ? inline(tokens, at, ...rest)
          : markdown.utils.escapeHtml(tokens[at].content);
    },
  },
  themeConfig: {
    search: { provider: 'local' },
    outline: [2, 3],
    nav: [page('Documents', '/docs/'), page('API', '/api/index.html')].map((item) =>
      item.link.startsWith('/api') ? { ...item, target: '_self' } : item,
    ),
    sidebar: [
      {
        text: 'Begin',
        items: [
          page('What it is', '/'),
          page('Getting started', '/docs/getting-started'),
          page('Concepts', '/docs/concepts'),
          page('Glossary', '/docs/glossary'),
          page('Migration', '/docs/migration'),
        ],
      },
      {
        text: 'Know',
        items: [
          page('Errors and stop reasons', '/docs/errors'),
          page('Security', '/docs/security'),
          page('Trace format', '/docs/trace-format'),
          page('Adapters side by side', '/docs/adapters'),
          page('Writing an adapter', '/docs/writing-an-adapter'),
          page('The conformance suite', '/conformance/'),
        ],
      },
      {
        text: 'Recipes',
        items: [
          page('Proxy or gateway', '/docs/recipes/gateway'),
          page('OpenAI-compatible hosts', '/docs/recipes/compatible-hosts'),
          page('Testing an agent', '/docs/recipes/testing'),
          page('Production', '/docs/recipes/production'),
          page('Sampling traces', '/docs/recipes/sampling'),
          page('Shipping traces', '/docs/recipes/collector'),
          page('MCP tools', '/docs/recipes/mcp'),
        ],
      },
      { text: 'Adapters', collapsed: true, items: adapters.map((name) => page(name, `/packages/${name}/`)) },
      { text: 'Packages', collapsed: true, items: packages.map((name) => page(name, `/packages/${name}/`)) },
    ],
  },
});

/** Links of the repository, made links of the site; what is no page leads to the repository, or nowhere. */
function rewriteLinks({ tokens, env }) {
  for (const { children } of tokens) {
    for (const [at, token] of (children ?? []).entries()) {
      if (token.type !== 'link_open') continue;
      const href = token.attrGet('href') ?? '';
      if (/^([a-z]+:|#|\/)/.test(href)) continue;
      const [path, anchor] = href.split('#');
      const source = join(root, posix.join(dirname(env.relativePath), decodeURIComponent(path)));
      const target = pageOf(source);
      if (target !== undefined) {
        const url = relative(root, target)
          .replace(/README\.md$/, '')
          .replace(/\.md$/, '');
        token.attrSet('href', `/${url}${anchor === undefined ? '' : `#${anchor}`}`);
      } else if (repository !== undefined) {
        token.attrSet('href', `${repository}/${relative(root, source)}`);
      } else {
        // The link's own text stays.
        token.type = 'text';
        token.tag = '';
        token.nesting = 0;
        token.content = '';
        const end = children.slice(at).find(({ type }) => type === 'link_close');
        Object.assign(end, { type: 'text', tag: '', nesting: 0, content: '' });
      }
    }
  }
}

function pageOf(source) {
  if (!existsSync(source)) return undefined;
  if (!statSync(source).isDirectory()) return source.endsWith('.md') ? source : undefined;
  return existsSync(join(source, 'README.md')) ? join(source, 'README.md') : undefined;
}
