import Anser from 'anser';
import { useMemo } from 'preact/hooks';
import { Scroll } from './scroll.tsx';
import { VisibleText } from './visible-text.tsx';

/** Colours of a terminal as classes; every other control stays visible as a mark. */
export function AnsiText({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => Anser.ansiToJson(text, { use_classes: true, remove_empty: true }), [text]);
  return (
    <Scroll class="text-block terminal" label={label}>
      {pieces.map((piece, index) => (
        <span key={index} class={classOf(piece)}>
          <VisibleText text={piece.content} />
        </span>
      ))}
    </Scroll>
  );
}

function classOf(piece: Anser.AnserJsonEntry): string {
  const names = [
    piece.fg,
    piece.bg === null ? null : `${piece.bg}-bg`,
    piece.decoration && `ansi-${piece.decoration}`,
  ];
  return names.filter((name) => typeof name === 'string' && /^ansi-[a-z-]+$/.test(name)).join(' ');
}
