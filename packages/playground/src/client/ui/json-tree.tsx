import { useMemo, useRef, useState } from 'preact/hooks';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { base64Chip, ExactNumber, type JsonRow, jsonRows, openAtFirst } from '../trace/json-rows.ts';
import { CopyButton, copyText } from './copy.tsx';
import { Icon } from './icon.tsx';
import { Scroll } from './scroll.tsx';
import { useVirtual } from './virtual.ts';
import { VisibleText } from './visible-text.tsx';

const ROW = 22;
const CUT = 500;
let trees = 0;

/** A JSON value of any size: rows for what is open and in sight. `fills`: takes the height there is. */
export function JsonTree({
  value,
  label,
  fills = false,
}: {
  value: unknown;
  label: string;
  fills?: boolean;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [id] = useState(() => `j${trees++}`);
  const [open, setOpen] = useState(() => openAtFirst(value));
  const [pages, setPages] = useState<ReadonlyMap<string, number>>(new Map());
  const [long, setLong] = useState<string>();
  const [active, setActive] = useState(0);
  const rows = useMemo(() => jsonRows(value, open, pages), [value, open, pages]);
  const at = Math.min(active, rows.length - 1);
  const virtual = useVirtual({ count: rows.length, rowHeight: ROW, scroller, keep: at });

  const toggle = (row: JsonRow, isOpen = !row.isOpen) => {
    if (row.kind === 'more') {
      const path = row.path.slice(0, -1);
      setPages(new Map(pages).set(path, (pages.get(path) ?? 1) + 1));
      return;
    }
    if (row.kind === 'string' && (row.value as string).length > CUT)
      setLong(long === row.path ? undefined : row.path);
    if (row.isOpen === undefined) return;
    const next = new Set(open);
    if (isOpen) next.add(row.path);
    else next.delete(row.path);
    setOpen(next);
  };
  const moveTo = (index: number) => {
    const next = Math.min(rows.length - 1, Math.max(0, index));
    setActive(next);
    virtual.scrollTo(next);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    if (row === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = () => rows.findLastIndex((one, index) => index < at && one.depth < row.depth);
    if (event.key === 'ArrowDown') moveTo(at + 1);
    else if (event.key === 'ArrowUp') moveTo(at - 1);
    else if (event.key === 'Home') moveTo(0);
    else if (event.key === 'End') moveTo(rows.length - 1);
    else if (event.key === 'ArrowRight')
      row.isOpen === false ? toggle(row, true) : moveTo(at + (row.isOpen ? 1 : 0));
    else if (event.key === 'ArrowLeft')
      row.isOpen === true ? toggle(row, false) : moveTo(Math.max(0, parent()));
    else if (event.key === 'Enter' || event.key === ' ') toggle(row);
    else if (event.key === 'c') void copyText(textOf(row.value));
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  const shownLong = rows.find((row) => row.path === long);
  return (
    <div class={fills ? 'json fills' : 'json'}>
      <div
        ref={scroller}
        class="json-scroller"
        role="tree"
        tabIndex={0}
        aria-label={label}
        aria-activedescendant={`${id}-${at}`}
        onKeyDown={onKeyDown}
      >
        <div role="none" class="virtual" style={{ height: `${virtual.height}px` }}>
          {virtual.items.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: focus stays on the tree, which names its active row
              // biome-ignore lint/a11y/useKeyWithClickEvents: the tree hears the keys for its rows
              <div
                key={row.path}
                id={`${id}-${index}`}
                class="json-row"
                role="treeitem"
                aria-level={row.depth + 1}
                aria-setsize={row.siblings}
                aria-posinset={row.position}
                aria-selected={index === at}
                aria-expanded={row.isOpen}
                style={{ top: `${start}px`, '--depth': row.depth }}
                onClick={() => {
                  setActive(index);
                  toggle(row);
                }}
              >
                <JsonRowText row={row} />
              </div>
            );
          })}
        </div>
      </div>
      {shownLong !== undefined && (
        <div class="json-long">
          <div class="block-head">
            <code>{shownLong.path}</code>
            <span class="spacer" />
            <CopyButton text={() => shownLong.value as string} label={t('copy.value')} />
            <button
              type="button"
              class="icon-button"
              aria-label={t('close')}
              onClick={() => setLong(undefined)}
            >
              <Icon name="close" />
            </button>
          </div>
          <Scroll class="text-block" label={shownLong.path}>
            <VisibleText text={(shownLong.value as string).slice(0, 100_000)} />
          </Scroll>
        </div>
      )}
    </div>
  );
}

function JsonRowText({ row }: { row: JsonRow }) {
  if (row.kind === 'more') return <span class="json-more">{t('json.more', { n: row.value as number })}</span>;
  const isContainer = row.kind === 'object' || row.kind === 'array';
  return (
    <>
      {isContainer && <Icon name={row.isOpen ? 'down' : 'right'} class="twist" />}
      {row.name !== undefined && (
        <>
          <span class="json-key">
            <VisibleText text={row.name} />
          </span>
          <span class="json-mark">{': '}</span>
        </>
      )}
      {isContainer ? (
        <span class="json-mark">
          {row.kind === 'array' ? `[${row.size === 0 ? ']' : ''}` : `{${row.size === 0 ? '}' : ''}`}
          {(row.size ?? 0) > 0 && <span class="json-size">{t('json.entries', { n: row.size ?? 0 })}</span>}
        </span>
      ) : (
        <JsonLeaf value={row.value} />
      )}
    </>
  );
}

function JsonLeaf({ value }: { value: unknown }) {
  if (typeof value === 'string') {
    const chip = base64Chip(value);
    if (chip !== undefined) {
      return (
        <span class="tag">
          {chip.type} {format.bytes(chip.bytes)}
        </span>
      );
    }
    const isLong = value.length > CUT;
    return (
      <>
        <span class="json-string">
          <VisibleText text={`"${oneLine(value.slice(0, CUT))}${isLong ? '…' : '"'}`} />
        </span>
        {isLong && <span class="json-more">{t('json.showAll', { n: value.length })}</span>}
      </>
    );
  }
  if (value instanceof ExactNumber) return <span class="json-number">{value.text}</span>;
  if (typeof value === 'number') return <span class="json-number">{String(value)}</span>;
  return <span class="json-literal">{String(value)}</span>;
}

/** As JSON writes line breaks and tabs, so that a row stays one line. */
function oneLine(text: string): string {
  return text.replace(
    /[\n\r\t]/g,
    (character) => ({ '\n': '\\n', '\r': '\\r', '\t': '\\t' })[character] as string,
  );
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return (
    JSON.stringify(value, (_, item) => (item instanceof ExactNumber ? Number(item.text) : item), 2) ?? ''
  );
}
