import type { VNode } from 'preact';
import type { ReportData } from '../protocol.ts';
import { readText, selectFirst } from './file-trace.ts';
import { t } from './i18n/index.ts';
import { Inspection } from './inspection.ts';
import { Inspector } from './inspector/inspector.tsx';
import { TopBar } from './screens/top-bar.tsx';
import { TraceStore } from './trace/trace-store.ts';
import { messageOf } from './ui/context.ts';
import { LinkDialog } from './ui/link-dialog.tsx';

/** The page of a report: undefined when the file holds none, so that it is a viewer. */
export async function openReport(): Promise<VNode | undefined> {
  const text = document.getElementById('glassloop-report')?.textContent?.trim() ?? '';
  if (text === '' || text === 'null') return undefined;
  try {
    const data = JSON.parse(text) as ReportData;
    const store = new TraceStore();
    const inspection = new Inspection(store, { kind: 'report', data });
    readText(store, await unpack(data.gzip));
    selectFirst(inspection);
    document.title = `${data.name ?? t('report')} · Glassloop`;
    return (
      <div class="app">
        <TopBar />
        <main class="screen" id="main">
          <h1 class="visually-hidden">{data.name ?? t('report')}</h1>
          <Inspector inspection={inspection} />
        </main>
        <LinkDialog />
      </div>
    );
  } catch (error) {
    return (
      <main class="empty">
        <h1>{t('report.broken')}</h1>
        <p class="error-text">{messageOf(error)}</p>
      </main>
    );
  }
}

async function unpack(base64: string): Promise<string> {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
}
