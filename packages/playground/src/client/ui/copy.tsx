import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { Icon } from './icon.tsx';
import type { IconName } from './icon-names.ts';

/** Copies what `text` gives: the original characters, marks and cuts undone. */
export function CopyButton(props: {
  readonly text: () => string | Promise<string>;
  readonly label: string;
  readonly icon?: IconName;
  readonly shows?: boolean;
}) {
  const [isDone, setDone] = useState(false);
  const copy = async () => {
    await copyText(await props.text());
    setDone(true);
    setTimeout(setDone, 1500, false);
  };
  return (
    <button
      type="button"
      class={props.shows ? 'button small' : 'icon-button'}
      aria-label={props.label}
      title={props.label}
      onClick={copy}
    >
      <Icon name={isDone ? 'ok' : (props.icon ?? 'copy')} />
      {props.shows && <span>{isDone ? t('copied') : props.label}</span>}
    </button>
  );
}

export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without the clipboard API (a page from a file): the old way.
    const field = document.createElement('textarea');
    field.value = text;
    field.className = 'visually-hidden';
    document.body.append(field);
    field.select();
    document.execCommand('copy');
    field.remove();
  }
}
