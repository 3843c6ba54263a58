import { t } from '../i18n/index.ts';

/** Buttons, because the hash of this page is its route. */
export function SkipLinks() {
  return (
    <>
      <button type="button" class="skip-link" onClick={() => document.getElementById('tree')?.focus()}>
        {t('skip.steps')}
      </button>
      <button type="button" class="skip-link" onClick={() => document.getElementById('tab-panel')?.focus()}>
        {t('skip.detail')}
      </button>
    </>
  );
}
