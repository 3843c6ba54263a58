import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES: { readonly [extension: string]: string } = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
};

export interface Asset {
  readonly body: Uint8Array<ArrayBuffer>;
  readonly type: string;
}

/** The built page. Only files that were there when the server started are served, by their exact name: no path is ever made of a request. */
export class Assets {
  readonly #folder: URL;
  readonly #names = new Set<string>();
  readonly #read = new Map<string, Asset>();

  constructor(folder: URL) {
    this.#folder = folder;
    try {
      for (const entry of readdirSync(folder, { withFileTypes: true, recursive: true })) {
        if (!entry.isFile()) continue;
        const path = relative(fileURLToPath(folder), join(entry.parentPath, entry.name));
        this.#names.add(path.split(sep).join('/'));
      }
    } catch {
      // Not built; the shell says so.
    }
  }

  get isBuilt(): boolean {
    return this.#names.has('index.html');
  }

  /** `assets/index-Bx3.js`, without a leading slash. */
  get(name: string): Asset | undefined {
    const before = this.#read.get(name);
    if (before !== undefined) return before;
    const type = TYPES[extname(name)];
    if (!this.#names.has(name) || type === undefined) return undefined;
    const asset = { body: new Uint8Array(readFileSync(new URL(name, this.#folder))), type };
    this.#read.set(name, asset);
    return asset;
  }
}

export const NOT_BUILT = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Glassloop playground</title>
<p>The page has not been built. Build it, and start the playground again:
<pre>npx pnpm@10.34.9 --filter @glassloop/playground build</pre></html>
`;
