import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';

/** Long waits press everything else together on the axis. They are drawn short when the reader wants it, never silently. */
export function IdleGaps() {
  const inspection = useInspection();
  const gaps = inspection.gaps.value;
  if (gaps.length === 0) return null;
  const isFolded = inspection.foldsGaps.value;
  const idle = gaps.reduce((sum, { from, to }) => sum + to - from, 0);
  return (
    <p class="idle-gaps">
      <Icon name="waiting" />
      <span role="status">
        {t(isFolded ? 'idle.folded' : 'idle.found', { n: gaps.length, time: format.duration(idle) })}
      </span>
      <button
        type="button"
        class="text-button"
        onClick={() => {
          inspection.zoom.value = undefined;
          inspection.foldsGaps.value = !isFolded;
        }}
      >
        {t(isFolded ? 'idle.expand' : 'idle.collapse')}
      </button>
    </p>
  );
}
