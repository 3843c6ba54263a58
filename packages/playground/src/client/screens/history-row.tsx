import type { RunSummary } from '../../protocol.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { StatusPill } from '../steps/status.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';

/** What a run is called: by a person, else by its prompt. */
export function nameOf(run: RunSummary): string {
  return run.title ?? (run.prompt || (run.status === 'newer' ? run.id : t('run.untitled')));
}

export function RunRow(props: {
  readonly run: RunSummary;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly onPin: () => void;
  readonly onEdit: () => void;
}) {
  const { run, isChosen } = props;
  const name = nameOf(run);
  const { forkedFrom } = run;
  return (
    <li class={isChosen ? 'run chosen' : 'run'}>
      <input
        type="checkbox"
        checked={isChosen}
        aria-label={t('history.choose', { name })}
        onChange={props.onChoose}
      />
      <StatusPill status={run.status} />
      <a href={`#/r/${encodeURIComponent(run.id)}`} dir="auto">
        <VisibleText text={name} />
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
        {forkedFrom !== undefined && (
          <a href={`#/r/${encodeURIComponent(forkedFrom.run)}?step=${forkedFrom.step}`}>
            {t('history.forked', { run: forkedFrom.run, step: forkedFrom.step })}
          </a>
        )}
        {run.tags.map((tag) => (
          <span key={tag} class="tag">
            <VisibleText text={tag} />
          </span>
        ))}
      </span>
      <button
        type="button"
        class="icon-button"
        aria-label={t('history.edit', { name })}
        title={t('history.about')}
        onClick={props.onEdit}
      >
        <Icon name="edit" />
      </button>
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
      {(run.note ?? run.detail) !== undefined && (
        <p class="run-note" dir="auto">
          <VisibleText text={[run.note, run.detail].filter(Boolean).join('\n')} />
        </p>
      )}
    </li>
  );
}
