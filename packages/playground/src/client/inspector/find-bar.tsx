import { signal, useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { type Found, findInTrace } from '../trace/find.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';

export const isFinding = signal(false);
const step = signal<{ direction: 1 | -1; count: number }>({ direction: 1, count: 0 });

export function findNext(direction: 1 | -1): void {
  isFinding.value = true;
  step.value = { direction, count: step.value.count + 1 };
}

const NOTHING = { query: '', all: [] as readonly Found[] };

/** Searches bodies, not what happens to be on the page, and opens what it finds. */
export function FindBar() {
  const inspection = useInspection();
  const query = useSignal('');
  const answer = useSignal<{ readonly query: string; readonly all: readonly Found[] }>(NOTHING);
  // What was found for the words before these, while a person types on, is no answer to them.
  const found = answer.value.query === query.value ? answer.value.all : NOTHING.all;
  const at = useSignal(-1);
  const field = useRef<HTMLInputElement>(null);

  useEffect(() => field.current?.focus(), []);
  useEffect(() => {
    const stop = new AbortController();
    at.value = -1;
    const asked = query.value;
    answer.value = NOTHING;
    if (asked.length > 0) {
      const take = (all: readonly Found[]) => (answer.value = { query: asked, all });
      void findInTrace(inspection.store, asked, take, stop.signal);
    }
    return () => stop.abort();
  }, [query.value, inspection]);
  useEffect(() => {
    if (step.value.count > 0) move(step.value.direction);
  }, [step.value]);
  useEffect(
    () => highlight(query.value),
    [query.value, inspection.selected.value, inspection.tabs.value, at.value],
  );
  useEffect(() => () => highlight(''), []);

  const move = (direction: 1 | -1) => {
    if (found.length === 0) return;
    at.value = (at.value + direction + found.length) % found.length;
    inspection.reveal(found[at.value]!.index);
    inspection.panel.value = 'detail';
  };
  const close = () => {
    isFinding.value = false;
    document.getElementById('tree')?.focus();
  };
  return (
    <search class="find-bar">
      <label class="field-with-icon">
        <Icon name="find" />
        <span class="visually-hidden">{t('find.label')}</span>
        <input
          id="find"
          ref={field}
          type="search"
          placeholder={t('find.placeholder')}
          value={query.value}
          spellcheck={false}
          autocomplete="off"
          onInput={(event) => (query.value = event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
            else if (event.key === 'Escape') close();
            else return;
            event.preventDefault();
            event.stopPropagation();
          }}
        />
      </label>
      <span class="find-count" role="status">
        {query.value === ''
          ? ''
          : found.length === 0
            ? t('find.nothing')
            : t('find.steps', { n: found.length })}
      </span>
      <button type="button" class="icon-button" aria-label={t('find.previous')} onClick={() => move(-1)}>
        <Icon name="down" class="up" />
      </button>
      <button type="button" class="icon-button" aria-label={t('find.next')} onClick={() => move(1)}>
        <Icon name="down" />
      </button>
      <button type="button" class="icon-button" aria-label={t('close')} onClick={close}>
        <Icon name="close" />
      </button>
    </search>
  );
}

const MOST_RANGES = 500;

/** Marks what was found in the open detail, without touching its elements. */
function highlight(query: string): void {
  if (typeof Highlight === 'undefined' || CSS.highlights === undefined) return;
  CSS.highlights.delete('find');
  if (query === '') return;
  requestAnimationFrame(() => {
    const pane = document.getElementById('tab-panel');
    if (pane === null) return;
    const ranges: Range[] = [];
    const walker = document.createTreeWalker(pane, NodeFilter.SHOW_TEXT);
    const needle = query.toLowerCase();
    while (walker.nextNode() && ranges.length < MOST_RANGES) {
      const text = (walker.currentNode as Text).data.toLowerCase();
      for (let from = text.indexOf(needle); from >= 0; from = text.indexOf(needle, from + needle.length)) {
        const range = new Range();
        range.setStart(walker.currentNode, from);
        range.setEnd(walker.currentNode, from + needle.length);
        ranges.push(range);
      }
    }
    CSS.highlights.set('find', new Highlight(...ranges));
    ranges[0]?.startContainer.parentElement?.scrollIntoView({ block: 'nearest' });
  });
}
