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
  round: number;
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

export function statusName(status: string, round: number): string {
  const key = `status.${status}`;
  if (!isKnownStatus(status) || !isKey(key)) return t('status.unknown', { status });
  return t(key, { n: round });
}
