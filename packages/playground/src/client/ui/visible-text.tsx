import { t } from '../i18n/index.ts';
import { visiblePieces } from '../trace/hidden-text.ts';
import { memo } from './memo.ts';

/** Untrusted text as text nodes; characters that cannot be seen are drawn as marks. */
export const VisibleText = memo(function VisibleText({ text }: { text: string }) {
  return (
    <>
      {visiblePieces(text).map((piece, index) =>
        'mark' in piece ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text never change places
          <span key={index} class="hidden-mark" title={t('hidden.mark', { mark: piece.mark })}>
            {piece.mark}
          </span>
        ) : (
          piece.text
        ),
      )}
    </>
  );
});
