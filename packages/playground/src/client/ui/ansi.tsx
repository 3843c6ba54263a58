import Anser from 'anser';
import { useMemo } from 'preact/hooks';
import { VisibleText } from './visible-text.tsx';

/** Colours of a terminal as classes; every other control stays visible as a mark. */
export function AnsiText({ text, label }: { text: string; label: string }) {
  const pieces = useMemo(() => Anser.ansiToJson(text, { use_classes: true, remove_empty: true }), [text]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="text-block terminal" tabIndex={0} role="group" aria-label={label}>
      {pieces.map((piece, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
        <span key={index} class={classOf(piece)}>
          <VisibleText text={piece.content} />
        </span>
      ))}
    </div>
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
