import { useSignal } from '@preact/signals';
import { isLocked } from '../api.ts';
import { t } from '../i18n/index.ts';
import { saveToken, tokenIn } from '../token.ts';
import { Icon } from '../ui/icon.tsx';

/** Without the token there is nothing here: no data, and no hint of what there would be. */
export function Unlock() {
  const text = useSignal('');
  const isWrong = useSignal(false);
  const unlock = async (event: Event) => {
    event.preventDefault();
    saveToken(tokenIn(text.value));
    const response = await fetch('/api/v1/meta', {
      headers: { authorization: `Bearer ${tokenIn(text.value)}` },
    }).catch(() => undefined);
    isWrong.value = response?.ok !== true;
    if (!isWrong.value) isLocked.value = false;
  };
  return (
    <main class="unlock">
      <form class="card" onSubmit={unlock}>
        <h1>
          <span class="brand-mark">
            <Icon name="steps" />
          </span>
          {t('unlock.title')}
        </h1>
        <p>{t('unlock.text')}</p>
        <label>
          <span>{t('unlock.label')}</span>
          <input
            class="input mono"
            type="password"
            autocomplete="off"
            value={text.value}
            aria-invalid={isWrong.value}
            aria-describedby={isWrong.value ? 'unlock-wrong' : undefined}
            onInput={(event) => (text.value = event.currentTarget.value)}
          />
        </label>
        {isWrong.value && (
          <p id="unlock-wrong" class="error-text" role="alert">
            {t('unlock.wrong')}
          </p>
        )}
        <button type="submit" class="button primary" disabled={text.value.trim() === ''}>
          {t('unlock.button')}
        </button>
      </form>
    </main>
  );
}
