import type { ComponentChildren } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { BlobRef } from '../../protocol.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { shapeOf, type Table, type TextShape } from '../trace/text-shape.ts';
import { messageOf, useInspection } from './context.ts';
import { CopyButton } from './copy.tsx';
import { Heading } from './heading.tsx';
import { JsonTree } from './json-tree.tsx';
import { LazyAnsi, LazyMarkdown } from './lazy.tsx';
import { Scroll } from './scroll.tsx';
import { Segments } from './segments.tsx';
import { useVirtual } from './virtual.ts';
import { VisibleText } from './visible-text.tsx';

/** Longer texts are shown as lines of which only those in sight exist. */
const LARGE = 64_000;
const LINE = 18;

interface PayloadProps {
  readonly value: unknown;
  readonly label: string;
  /** Whether prose may be shown as markdown. */
  readonly prose?: boolean;
  /** Without a visible heading: it stands beside what names it. */
  readonly bare?: boolean;
  /** Beside the heading. */
  readonly note?: ComponentChildren;
  /** In a card: no choice of views, no size. */
  readonly compact?: boolean;
}

/** Anything a trace holds: a text in the form that suits it, any other value as a tree, a reference as its head. */
export function Payload(props: PayloadProps) {
  const inspection = useInspection();
  const { value, label } = props;
  if (inspection.server !== undefined && isBlobRef(value)) return <LongValue reference={value} {...props} />;
  if (typeof value === 'string') return <TextPayload {...props} text={value} />;
  return (
    <section class="block">
      {!props.bare && (
        <div class="block-head">
          <Heading>{label}</Heading>
          {props.note}
          <span class="spacer" />
          <CopyButton
            text={() => JSON.stringify(value, null, 2) ?? ''}
            label={t('copy.block', { name: label })}
          />
        </div>
      )}
      <JsonTree value={value} label={label} />
    </section>
  );
}

function LongValue(props: PayloadProps & { readonly reference: BlobRef }) {
  const { server } = useInspection();
  const { reference, label } = props;
  const [whole, setWhole] = useState<string>();
  const [state, setState] = useState<'idle' | 'loading' | string>('idle');
  if (whole !== undefined) return <TextPayload {...props} text={whole} />;
  const load = async () => {
    setState('loading');
    try {
      setWhole(await server!.blob(reference));
    } catch (error) {
      setState(messageOf(error));
    }
  };
  return (
    <section class="block">
      <div class="block-head">
        <Heading>{label}</Heading>
        {props.note}
        <small>{format.bytes(reference.bytes)}</small>
      </div>
      <Scroll class="text-block" label={label}>
        <VisibleText text={`${reference.head}…`} />
      </Scroll>
      <button type="button" class="button small" onClick={load} disabled={state === 'loading'}>
        {t('showAll', { size: format.bytes(reference.bytes) })}
      </button>
      {state !== 'idle' && state !== 'loading' && <p class="error-text">{state}</p>}
    </section>
  );
}

type View = 'rendered' | 'json' | 'table' | 'source';

function TextPayload(props: PayloadProps & { readonly text: string }) {
  const { text, label, prose = false, bare = false, compact = false } = props;
  // What a model says is prose, whatever control characters it holds.
  const shape = useMemo(() => shapeOf(text, prose ? 'prose' : 'data'), [text, prose]);
  const views = viewsOf(shape, prose);
  const [chosen, setChosen] = useState<View>();
  const view = chosen !== undefined && views.includes(chosen) ? chosen : views[0]!;
  const names: Record<View, string> = {
    rendered: t('view.rendered'),
    json: 'JSON',
    table: t('view.table'),
    source: prose ? t('view.source') : t('view.text'),
  };
  return (
    <section class="block">
      <div class="block-head">
        {!bare && <Heading>{label}</Heading>}
        {props.note}
        {text !== '' && !compact && <small>{format.bytes(format.utf8Length(text))}</small>}
        <span class="spacer" />
        {views.length > 1 && !compact && (
          <Segments
            label={t('view.label', { name: label })}
            options={views.map((one) => ({ value: one, label: names[one] }))}
            value={view}
            onChange={setChosen}
          />
        )}
        <CopyButton text={() => text} label={t('copy.block', { name: label })} />
      </div>
      {text === '' ? (
        <p class="absent">{t('empty')}</p>
      ) : (
        <TextView text={text} shape={shape} view={view} label={label} prose={prose} />
      )}
    </section>
  );
}

function viewsOf(shape: TextShape, prose: boolean): readonly View[] {
  switch (shape.shape) {
    case 'json':
      return shape.table === undefined ? ['json', 'source'] : ['table', 'json', 'source'];
    case 'ansi':
    case 'diff':
      return ['rendered', 'source'];
    case 'text':
      return prose ? ['rendered', 'source'] : ['source'];
    default:
      return shape satisfies never;
  }
}

function TextView(props: { text: string; shape: TextShape; view: View; label: string; prose: boolean }) {
  const { text, shape, view, label } = props;
  if (shape.shape === 'json' && view === 'json') return <JsonTree value={shape.value} label={label} />;
  if (shape.shape === 'json' && view === 'table') return <DataTable table={shape.table!} label={label} />;
  if (view === 'rendered' && text.length <= LARGE) {
    if (shape.shape === 'ansi') return <LazyAnsi text={text} label={label} />;
    if (shape.shape === 'diff') return <DiffText text={text} label={label} />;
    return <LazyMarkdown text={text} />;
  }
  if (text.length > LARGE) return <Lines text={text} label={label} />;
  return (
    <Scroll class="text-block" label={label}>
      <VisibleText text={text} />
    </Scroll>
  );
}

/** A long text, line by line; what is beyond 2,000 characters of a line is in the copy only, and said to be. */
function Lines({ text, label }: { text: string; label: string }) {
  const scroller = useRef<HTMLDivElement>(null);
  const lines = useMemo(() => text.split('\n').flatMap(chunks), [text]);
  const virtual = useVirtual({ count: lines.length, rowHeight: LINE, scroller });
  return (
    <Scroll class="lines" scroller={scroller} label={label}>
      <div class="virtual" style={{ height: `${virtual.height}px` }}>
        {virtual.items.map(({ index, start }) => (
          <div key={index} class="line" style={{ top: `${start}px` }}>
            <VisibleText text={lines[index] ?? ''} />
          </div>
        ))}
      </div>
    </Scroll>
  );
}

function chunks(line: string): string[] {
  if (line.length <= 2000) return [line];
  const parts: string[] = [];
  for (let from = 0; from < line.length; from += 2000) parts.push(line.slice(from, from + 2000));
  return parts;
}

function DiffText({ text, label }: { text: string; label: string }) {
  return (
    <Scroll class="text-block no-wrap" label={label}>
      {text.split('\n').map((line, index) => (
        <div
          key={index}
          class={line.startsWith('+') ? 'diff-new' : line.startsWith('-') ? 'diff-old' : undefined}
        >
          <VisibleText text={line === '' ? ' ' : line} />
        </div>
      ))}
    </Scroll>
  );
}

const TABLE_ROWS = 50;

function DataTable({ table, label }: { table: Table; label: string }) {
  const rest = table.rows.length - TABLE_ROWS;
  return (
    <Scroll class="table-scroller" label={label}>
      <table class="data">
        <thead>
          <tr>
            {table.columns.map((column) => (
              <th key={column} scope="col">
                <VisibleText text={column} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.slice(0, TABLE_ROWS).map((row, index) => (
            <tr key={index}>
              {table.columns.map((column) => (
                <td key={column} class={typeof row[column] === 'number' ? 'number' : undefined}>
                  <VisibleText text={cell(Object.hasOwn(row, column) ? row[column] : undefined)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rest > 0 && <p class="absent">{t('table.more', { n: rest })}</p>}
    </Scroll>
  );
}

function cell(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export function isBlobRef(value: unknown): value is BlobRef {
  return typeof value === 'object' && value !== null && typeof (value as BlobRef).$blob === 'string';
}
