import { t } from '../i18n/index.ts';
import { visiblePieces } from '../trace/hidden-text.ts';

/** Untrusted text as text nodes; characters that cannot be seen are drawn as marks. */
export function VisibleText({ text }: { text: string }) {
  return (
    <>
      {visiblePieces(text).map((piece, index) =>
        'mark' in piece ? (
          <span key={index} class="hidden-mark" title={t('hidden.mark', { mark: piece.mark })}>
            {piece.mark}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
}
