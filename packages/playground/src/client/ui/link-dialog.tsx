import { signal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import { Dialog } from './dialog.tsx';
import { VisibleText } from './visible-text.tsx';

const asked = signal<string | undefined>(undefined);

export function askToFollow(address: string): void {
  asked.value = address;
}

/** Shows the whole address of a link from a trace before anything is opened. */
export function LinkDialog() {
  const address = asked.value;
  const close = () => {
    asked.value = undefined;
  };
  if (address === undefined) return null;
  return (
    <Dialog title={t('link.title')} onClose={close}>
      <p>{t('link.text')}</p>
      <p class="address">
        <VisibleText text={address} />
      </p>
      <div class="dialog-actions">
        <button type="button" class="button" onClick={close}>
          {t('cancel')}
        </button>
        <a class="button primary" href={address} target="_blank" rel="noopener noreferrer" onClick={close}>
          {t('link.follow')}
        </a>
      </div>
    </Dialog>
  );
}
