import type { Difference } from '@glassloop/trace';
import { diffJson } from 'diff/lib/diff/json.js';
import { diffLines } from 'diff/lib/diff/line.js';
import { useMemo } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Scroll } from '../ui/scroll.tsx';
import { VisibleText } from '../ui/visible-text.tsx';

const MOST = 200;
const LONGEST = 20_000;

/** Each field that differs, as lines that went and lines that came. */
export function DifferenceList({ differences }: { differences: readonly Difference[] }) {
  if (differences.length === 0) return <p class="absent">{t('compare.equal')}</p>;
  return (
    <ul class="plain-list">
      {differences.slice(0, MOST).map((difference) => (
        <li key={difference.path} class="card difference">
          <h2 class="mono">
            <VisibleText text={difference.path === '' ? '$' : difference.path} />
          </h2>
          <Lines difference={difference} />
        </li>
      ))}
      {differences.length > MOST && (
        <li class="absent">{t('json.more', { n: differences.length - MOST })}</li>
      )}
    </ul>
  );
}

function Lines({ difference }: { difference: Difference }) {
  const changes = useMemo(() => {
    const [old, fresh] = [textOf(difference.old), textOf(difference.new)];
    const isObject = typeof difference.old === 'object' && typeof difference.new === 'object';
    return isObject && difference.old !== null && difference.new !== null
      ? diffJson(difference.old as object, difference.new as object)
      : diffLines(old, fresh);
  }, [difference]);
  return (
    <Scroll class="text-block diff" label={difference.path}>
      {changes.flatMap((change, index) =>
        change.value
          .replace(/\n$/, '')
          .split('\n')
          .map((line, at) => {
            const sign = change.added ? '+' : change.removed ? '−' : ' ';
            return (
              <div
                key={`${index}-${at}`}
                class={change.added ? 'diff-new' : change.removed ? 'diff-old' : undefined}
              >
                <span class="diff-sign">{sign}</span>
                <VisibleText text={line} />
              </div>
            );
          }),
      )}
    </Scroll>
  );
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  return `${text.slice(0, LONGEST)}\n`;
}
