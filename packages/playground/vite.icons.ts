import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Plugin } from 'vite';
import { ICONS } from './src/client/ui/icon-names.ts';

const require = createRequire(import.meta.url);

/** `virtual:icons`: the shapes of the icons that are used, read from lucide at build time. No markup reaches the page. */
export function icons(): Plugin {
  return {
    name: 'glassloop-icons',
    resolveId: (id) => (id === 'virtual:icons' ? '\0icons' : undefined),
    load(id) {
      if (id !== '\0icons') return undefined;
      const shapes = Object.entries(ICONS).map(([name, file]) => [name, shapesOf(file)]);
      return `export default ${JSON.stringify(Object.fromEntries(shapes))};`;
    },
  };
}

function shapesOf(file: string): readonly (readonly [string, Record<string, string>])[] {
  const svg = readFileSync(require.resolve(`lucide-static/icons/${file}.svg`), 'utf8');
  const inside = svg.slice(svg.indexOf('>', svg.indexOf('<svg')) + 1);
  return [...inside.matchAll(/<([a-z]+)\s([^>]*?)\/>/g)].map(([, tag, attributes]) => [
    tag as string,
    Object.fromEntries(
      [...(attributes as string).matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
    ),
  ]);
}
