import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { RunSummary, RunsPage } from '../../protocol.ts';
import { api } from '../api.ts';
import * as format from '../format.ts';
import { type Key, t } from '../i18n/index.ts';
import { go } from '../route.ts';
import { StatusPill } from '../steps/status.tsx';
import { messageOf } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { FilePicker } from './open-screen.tsx';

const STATUSES = [
  'running',
  'completed',
  'length',
  'round_limit',
  'limit',
  'failed',
  'aborted',
  'dry_run',
  'interrupted',
];

export function History() {
  const page = useSignal<RunsPage | undefined>(undefined);
  const runs = useSignal<readonly RunSummary[]>([]);
  const fault = useSignal<string | undefined>(undefined);
  const query = useSignal('');
  const status = useSignal('');
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const deleting = useSignal<readonly string[]>([]);

  const load = async (cursor?: string, signal?: AbortSignal) => {
    const params = new URLSearchParams();
    if (query.value !== '') params.set('q', query.value);
    if (status.value !== '') params.set('status', status.value);
    if (cursor !== undefined) params.set('cursor', cursor);
    try {
      const next = await api.runs(params, signal);
      page.value = next;
      runs.value = cursor === undefined ? next.runs : [...runs.value, ...next.runs];
      fault.value = undefined;
    } catch (error) {
      if (signal?.aborted !== true) fault.value = messageOf(error);
    }
  };
  useEffect(() => {
    const stop = new AbortController();
    const timer = setTimeout(() => void load(undefined, stop.signal), query.value === '' ? 0 : 250);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [query.value, status.value]);

  const toggle = (id: string) => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const remove = async () => {
    try {
      for (const id of deleting.value) await api.remove(id);
      chosen.value = new Set();
    } catch (error) {
      fault.value = messageOf(error);
    }
    deleting.value = [];
    await load();
  };
  const pin = async (run: RunSummary) => {
    await api.patch(run.id, { pinned: !run.pinned }).catch((error: unknown) => {
      fault.value = messageOf(error);
    });
    await load();
  };
  const [first, second] = [...chosen.value];
  return (
    <div class="page">
      <div class="page-head">
        <h1>{t('nav.history')}</h1>
        <label class="field-with-icon">
          <Icon name="find" />
          <span class="visually-hidden">{t('history.search')}</span>
          <input
            type="search"
            placeholder={t('history.search')}
            value={query.value}
            onInput={(event) => (query.value = event.currentTarget.value)}
          />
        </label>
        <label>
          <span class="visually-hidden">{t('status')}</span>
          <select
            class="input small"
            value={status.value}
            onChange={(event) => (status.value = event.currentTarget.value)}
          >
            <option value="">{t('history.anyStatus')}</option>
            {STATUSES.map((one) => (
              <option key={one} value={one}>
                {t(`status.${one}` as Key)}
              </option>
            ))}
          </select>
        </label>
        {page.value !== undefined && (
          <small class="muted">
            {t('history.total', { n: page.value.total, size: format.bytes(page.value.bytes) })}
          </small>
        )}
        <span class="spacer" />
        <FilePicker small />
      </div>
      {fault.value !== undefined && (
        <p class="notice error" role="alert">
          <Icon name="failed" />
          <span>{fault.value}</span>
        </p>
      )}
      {page.value === undefined ? (
        <p class="absent">{t('loading')}</p>
      ) : runs.value.length === 0 ? (
        <div class="empty">
          <p>{query.value === '' && status.value === '' ? t('history.empty') : t('history.nothing')}</p>
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
              onPin={() => void pin(run)}
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
          <button
            type="button"
            class="button small danger"
            onClick={() => (deleting.value = [...chosen.value])}
          >
            <Icon name="delete" />
            {t('history.delete')}
          </button>
        </div>
      )}
      {deleting.value.length > 0 && (
        <Dialog
          title={t('history.deleteTitle', { n: deleting.value.length })}
          onClose={() => (deleting.value = [])}
        >
          <p>{t('history.deleteText')}</p>
          <div class="dialog-actions">
            <button type="button" class="button" onClick={() => (deleting.value = [])}>
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

function RunRow(props: { run: RunSummary; isChosen: boolean; onChoose: () => void; onPin: () => void }) {
  const { run, isChosen } = props;
  const prompt = run.title ?? (run.prompt === '' ? t('run.untitled') : run.prompt);
  return (
    <li class={isChosen ? 'run chosen' : 'run'}>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={t('history.choose', { name: prompt })}
        onChange={props.onChoose}
      />
      <StatusPill status={run.status} />
      <a href={`#/r/${encodeURIComponent(run.id)}`} dir="auto">
        <VisibleText text={prompt} />
      </a>
      <span class="run-facts">
        <time dateTime={run.startedAt}>{format.date(run.startedAt)}</time>
        {run.configuration !== undefined && <span>{run.configuration}</span>}
        <span>{run.model}</span>
        <span>{t('history.rounds', { n: run.rounds })}</span>
        <span>{t('calls', { n: run.toolCalls })}</span>
        <span class="mono">{t('tokens', { n: run.usage.totalTokens ?? format.UNKNOWN })}</span>
        <span class="mono">
          {run.unpricedRounds > 0 && run.usage.estimatedCost !== undefined ? '≥ ' : ''}
          {format.cost(run.usage.estimatedCost)}
        </span>
        <span class="mono">{format.duration(run.durationMs)}</span>
        {run.capturesRaw && <span class="tag">{t('chip.raw')}</span>}
        {!run.kept && <span class="tag">{t('history.memory')}</span>}
      </span>
      <button
        type="button"
        class="icon-button"
        aria-pressed={run.pinned}
        aria-label={t('history.pin')}
        title={t('history.pin')}
        onClick={props.onPin}
      >
        <Icon name="pin" />
      </button>
    </li>
  );
}
