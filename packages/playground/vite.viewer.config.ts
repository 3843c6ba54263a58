import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig, type Plugin } from 'vite';
import { viteSingleFile } from 'vite-plugin-singlefile';
import { REPORT_PLACEHOLDER } from './src/protocol.ts';
import { icons } from './vite.icons.ts';

const conditions = ['@glassloop/source', 'browser', 'module', 'import', 'default'];
const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** The report, and the viewer that needs no server: one file each, sealed by its own policy. */
export default defineConfig({
  root: here('src/client'),
  plugins: [icons(), viteSingleFile({ removeViteModuleLoader: true }), seal()],
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  publicDir: false,
  resolve: {
    conditions,
    alias: [{ find: /^(.*)\/workers\.ts$/, replacement: '$1/workers-none.ts' }],
  },
  build: {
    outDir: here('dist/sealed'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: false,
    rollupOptions: { input: here('src/client/report.html') },
  },
});

/** Allows the one script and the one style by their hashes, and nothing else at all. */
function seal(): Plugin {
  return {
    name: 'glassloop-seal',
    enforce: 'post',
    closeBundle() {
      const built = here('dist/sealed/report.html');
      const html = readFileSync(built, 'utf8');
      const scripts = [...html.matchAll(/<script type="module"[^>]*>([\s\S]*?)<\/script>/g)].map(
        (match) => match[1]!,
      );
      const styles = [...html.matchAll(/<style[^>]*>([\s\S]*?)<\/style>/g)].map((match) => match[1]!);
      if (scripts.length !== 1 || styles.length !== 1)
        throw new Error('The report must have one script and one style.');
      const policy = [
        "default-src 'none'",
        `script-src ${hash(scripts[0]!)}`,
        `style-src ${hash(styles[0]!)}`,
        'img-src data: blob:',
        "base-uri 'none'",
        "form-action 'none'",
        "require-trusted-types-for 'script'",
        'trusted-types dompurify',
      ].join('; ');
      const sealed = html.replace(
        '<!-- content security policy -->',
        `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
      );
      if (sealed === html) throw new Error('There is no place for the policy.');
      mkdirSync(here('dist/viewer'), { recursive: true });
      writeFileSync(here('dist/report-template.html'), withBlock(sealed, REPORT_PLACEHOLDER));
      // Without a report inside, the page asks for a file.
      writeFileSync(built, sealed.replace(`>${REPORT_PLACEHOLDER}<`, '><'));
      renameSync(built, here('dist/viewer/index.html'));
      rmSync(here('dist/sealed'), { recursive: true });
    },
  };
}

/** Without a report in it, `null`, the page asks for a file. */
function withBlock(html: string, content: string): string {
  const filled = html.replace(/(id="glassloop-report">)null(<)/, `$1${content}$2`);
  if (filled === html) throw new Error('There is no place for the report.');
  return filled;
}

function hash(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
