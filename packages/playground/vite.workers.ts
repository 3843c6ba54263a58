import type { Plugin } from 'vite';

const MARK = '?worker-chunk';

/** `x.worker.ts?worker-chunk`: the address of a worker that shares its code with the page, which `?worker` would pack twice. */
export function workerChunks(): Plugin {
  return {
    name: 'glassloop-worker-chunks',
    enforce: 'pre',
    async resolveId(id, importer) {
      if (!id.endsWith(MARK)) return undefined;
      const file = await this.resolve(id.slice(0, -MARK.length), importer);
      return file === null ? undefined : `\0${file.id}${MARK}`;
    },
    load(id) {
      if (!id.startsWith('\0') || !id.endsWith(MARK)) return undefined;
      const chunk = this.emitFile({ type: 'chunk', id: id.slice(1, -MARK.length) });
      return `export default import.meta.ROLLUP_FILE_URL_${chunk};`;
    },
  };
}
