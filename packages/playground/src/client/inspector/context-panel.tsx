import { useMemo, useState } from 'preact/hooks';
import * as format from '../format.ts';
import { type Key, t } from '../i18n/index.ts';
import { CONTEXT_PARTS, contextByRound } from '../trace/context.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';

const MOST_ROUNDS = 40;

/** What fills the context window, round by round. */
export function ContextPanel() {
  const inspection = useInspection();
  const { store } = inspection;
  const [isOpen, setOpen] = useState(true);
  inspection.version.value;
  const answered = [...store.rounds.values()].filter((round) => round.response !== undefined).length;
  const rounds = useMemo(() => contextByRound(store), [store, answered, store.rounds.size]);
  const selectedRound =
    inspection.row()?.type === 'step'
      ? (inspection.row() as { step: { round: number } }).step.round
      : undefined;
  if (rounds.length === 0) return null;
  const measured = rounds.map((round) => round.tokens);
  const most = Math.max(...measured, 1);
  const shown = rounds.slice(-MOST_ROUNDS);
  return (
    <section class="context-panel" aria-label={t('context')}>
      <div class="context-head">
        <button type="button" class="context-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'down' : 'right'} />
          <b>{t('context')}</b>
        </button>
        <small title={t('context.split')}>{t('context.note')}</small>
        {isOpen && (
          <ul class="legend">
            {CONTEXT_PARTS.map((part) => (
              <li key={part}>
                <i class={`swatch part-${part}`} />
                {t(`context.${part}` as Key)}
              </li>
            ))}
          </ul>
        )}
      </div>
      {isOpen && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
        <ul class="context-rounds" tabIndex={0} aria-label={t('context')}>
          {shown.map((round, index) => {
            const at = rounds.length - shown.length + index;
            const tokens = measured[at]!;
            const growth = at === 0 ? undefined : tokens - measured[at - 1]!;
            return (
              <li key={round.round} class={round.round === selectedRound ? 'selected' : undefined}>
                <span>{t('context.round', { n: round.round })}</span>
                <span class="stack" aria-hidden="true">
                  {CONTEXT_PARTS.map((part) => (
                    <i
                      key={part}
                      class={`part-${part}`}
                      style={{ width: `${((round.shares[part] * tokens) / most) * 100}%` }}
                    />
                  ))}
                </span>
                <span class="context-value">
                  {round.promptTokens === undefined ? '≈ ' : ''}
                  {format.count(tokens)}
                  {growth === undefined
                    ? ''
                    : ` (${growth < 0 ? '−' : '+'}${format.count(Math.abs(growth))})`}
                </span>
              </li>
            );
          })}
        </ul>
      )}
    </section>
  );
}
