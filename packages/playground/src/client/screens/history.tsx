import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { RunPatch, RunSummary, RunsPage } from '../../protocol.ts';
import { api } from '../api.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { go, route } from '../route.ts';
import { messageOf } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { meta } from './catalog-facts.ts';
import { ExportMenu } from './export-menu.tsx';
import { AboutDialog } from './history-about.tsx';
import { HistoryFilters } from './history-filters.tsx';
import { historyQuery, isFiltered } from './history-query.ts';
import { nameOf, RunRow } from './history-row.tsx';
import { FilePicker } from './open-screen.tsx';

const MOST_NAMED = 5;

export function History() {
  const page = useSignal<RunsPage | undefined>(undefined);
  const runs = useSignal<readonly RunSummary[]>([]);
  /** Why the list could not be loaded; why something could not be done with a run. */
  const fault = useSignal<string | undefined>(undefined);
  const refusal = useSignal<string | undefined>(undefined);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const edited = useSignal<RunSummary | undefined>(undefined);
  const isDeleting = useSignal(false);
  const { query } = route.value;
  const asked = historyQuery(query).toString();

  const load = async (cursor?: string, signal?: AbortSignal) => {
    const params = new URLSearchParams(asked);
    if (cursor !== undefined) params.set('cursor', cursor);
    try {
      const next = await api.runs(params, signal);
      page.value = next;
      runs.value = cursor === undefined ? next.runs : [...runs.value, ...next.runs];
      // What is no longer in sight must not be deleted.
      const shown = new Set(runs.value.map(({ id }) => id));
      chosen.value = new Set([...chosen.value].filter((id) => shown.has(id)));
      fault.value = undefined;
    } catch (error) {
      if (signal?.aborted !== true) fault.value = messageOf(error);
    }
  };
  const searched = useRef(query.get('q'));
  useEffect(() => {
    const stop = new AbortController();
    // Who types wants the list of the last letter.
    const isTyping = searched.current !== query.get('q');
    searched.current = query.get('q');
    const timer = setTimeout(() => void load(undefined, stop.signal), isTyping ? 250 : 0);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [asked]);

  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const change = async (act: () => Promise<unknown>) => {
    refusal.value = undefined;
    try {
      await act();
    } catch (error) {
      refusal.value = messageOf(error);
    }
    await load();
  };
  const patch = (run: RunSummary, about: RunPatch) => change(() => api.patch(run.id, about));
  const remove = async () => {
    isDeleting.value = false;
    await change(async () => {
      for (const id of chosen.value) await api.remove(id);
    });
    // The button that asked for it is gone with what was chosen.
    document.getElementById('history-search')?.focus();
  };
  const [first, second] = [...chosen.value];
  const named = runs.value.filter(({ id }) => chosen.value.has(id));
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.history')}</h1>
        <Totals page={page.value} isFiltered={isFiltered(query)} />
        <span class="spacer" />
        <FilePicker small />
      </div>
      <HistoryFilters all={page.value?.all} />
      {[fault.value, refusal.value].map(
        (text, index) =>
          text !== undefined && (
            <p key={index} class="notice error" role="alert">
              <Icon name="failed" />
              <span>{text}</span>
            </p>
          ),
      )}
      {page.value === undefined ? (
        fault.value === undefined && <p class="absent">{t('loading')}</p>
      ) : runs.value.length === 0 ? (
        <div class="empty">
          <p>{isFiltered(query) ? t('history.nothing') : t('history.empty')}</p>
          <a class="button primary" href="#/run">
            {t('nav.run')}
          </a>
        </div>
      ) : (
        <ul class="runs">
          {runs.value.map((run) => (
            <RunRow
              key={run.id}
              run={run}
              isChosen={chosen.value.has(run.id)}
              onChoose={() => toggle(run.id)}
              onPin={() => void patch(run, { pinned: !run.pinned })}
              onEdit={() => (edited.value = run)}
            />
          ))}
        </ul>
      )}
      {page.value?.nextCursor !== undefined && (
        <button type="button" class="button" onClick={() => void load(page.value?.nextCursor)}>
          {t('history.more')}
        </button>
      )}
      {chosen.value.size > 0 && (
        <div class="selection-bar">
          <span>{t('history.chosen', { n: chosen.value.size })}</span>
          <button
            type="button"
            class="button small"
            disabled={chosen.value.size !== 2}
            onClick={() =>
              go(`#/compare?a=${encodeURIComponent(second ?? '')}&b=${encodeURIComponent(first ?? '')}`)
            }
          >
            <Icon name="compare" />
            {t('history.compare')}
          </button>
          {chosen.value.size === 1 && <ExportMenu key={first} id={first!} />}
          <button type="button" class="button small danger" onClick={() => (isDeleting.value = true)}>
            <Icon name="delete" />
            {t('history.delete')}
          </button>
        </div>
      )}
      {edited.value !== undefined && (
        <AboutDialog
          key={edited.value.id}
          run={edited.value}
          onClose={() => (edited.value = undefined)}
          onSaved={() => {
            edited.value = undefined;
            void load();
          }}
        />
      )}
      {isDeleting.value && (
        <Dialog
          title={t('history.deleteTitle', { n: chosen.value.size })}
          onClose={() => (isDeleting.value = false)}
        >
          <p>{t('history.deleteText')}</p>
          <ul class="named">
            {named.slice(0, MOST_NAMED).map((run) => (
              <li key={run.id} dir="auto">
                <VisibleText text={nameOf(run)} />
              </li>
            ))}
            {named.length > MOST_NAMED && <li>{t('json.more', { n: named.length - MOST_NAMED })}</li>}
          </ul>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => (isDeleting.value = false)}>
              {t('cancel')}
            </button>
            <button type="button" class="button danger" onClick={() => void remove()}>
              {t('history.delete')}
            </button>
          </div>
        </Dialog>
      )}
    </div>
  );
}

/** How many runs there are and what they take; and what is kept of them. */
function Totals({ page, isFiltered }: { page: RunsPage | undefined; isFiltered: boolean }) {
  if (page === undefined) return null;
  const history = meta.value?.history;
  return (
    <small class="muted" role="status">
      {isFiltered && `${t('history.matching', { n: page.total })} `}
      {t('history.total', { n: page.all.runs, size: format.bytes(page.all.bytes) })}
      {history?.keeps &&
        `. ${t('history.retention', {
          n: history.maxRuns,
          days: history.maxDays,
          size: format.bytes(history.maxBytes),
        })}`}
    </small>
  );
}
