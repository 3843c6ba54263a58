import { useEffect } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { useInspection } from '../ui/context.ts';

const LONG_MS = 10_000;

/** What one usually waits for this model, for who has waited long; else ''. */
export function useUsualWait(elapsedMs: number): string {
  const inspection = useInspection();
  const isLong = elapsedMs > LONG_MS;
  useEffect(() => {
    if (isLong) inspection.askUsual();
  }, [isLong]);
  const middle = isLong ? inspection.usual.value?.middle : undefined;
  return middle === undefined ? '' : t('waiting.usual', { time: format.durationRange(...middle) });
}
