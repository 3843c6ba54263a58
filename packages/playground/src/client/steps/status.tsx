import { isKey, t } from '../i18n/index.ts';
import { isKnownStatus, type Tone, toneOf } from '../trace/run-status.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-names.ts';

const ICONS: { readonly [tone in Tone]: IconName } = {
  running: 'waiting',
  ok: 'ok',
  warn: 'warn',
  error: 'failed',
  quiet: 'stopped',
  info: 'info',
};

/** Icon, word and colour; a status this page does not know is said to be unknown, never taken for a good one. */
export function StatusPill({
  status,
  round,
  isStopping = false,
}: {
  status: string;
  round?: number;
  isStopping?: boolean;
}) {
  const tone = toneOf(status);
  return (
    <span class={`pill ${tone}`}>
      <Icon name={ICONS[tone]} />
      {isStopping && status === 'running' ? t('status.stopping') : statusName(status, round)}
    </span>
  );
}

/** With the round it ended in, where that says something. */
export function statusName(status: string, round = 0): string {
  const key = `status.${status}`;
  if (!isKnownStatus(status) || !isKey(key)) return t('status.unknown', { status });
  const inRound = `${key}In`;
  return round > 0 && isKey(inRound) ? t(inRound, { n: round }) : t(key);
}
