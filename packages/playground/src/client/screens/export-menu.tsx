import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { ExportFormat, Redaction } from '../../protocol.ts';
import { api } from '../api.ts';
import { type Key, t } from '../i18n/index.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { meta } from './catalog-facts.ts';

const EXTENSIONS: { readonly [format in ExportFormat]: string } = {
  ndjson: 'ndjson',
  html: 'html',
  md: 'md',
  har: 'har',
  otlp: 'json',
};

/** A run as a file to hand on; what must not be handed on is left out first. */
export function ExportMenu({ id }: { id: string }) {
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const redaction = useSignal<Redaction>('secrets');
  const error = useSignal<string | undefined>(undefined);
  useEffect(() => {
    if (button.current !== null && menu.current !== null) button.current.popoverTargetElement = menu.current;
  }, []);
  const save = async (format: ExportFormat) => {
    error.value = undefined;
    try {
      const file = await api.export(id, { format, redact: redaction.value });
      saveAs(file, `glassloop-${id}.${EXTENSIONS[format]}`);
      menu.current?.hidePopover();
    } catch (problem) {
      error.value = messageOf(problem);
    }
  };
  return (
    <>
      <button ref={button} type="button" class="button small">
        <Icon name="download" />
        {t('export')}
        <Icon name="down" />
      </button>
      <div ref={menu} class="popover export" popover="auto">
        <fieldset>
          <legend>{t('export.redaction')}</legend>
          {(meta.value?.redactions ?? ['secrets']).map((one) => (
            <label key={one} class="check">
              <input
                type="radio"
                name="redaction"
                checked={redaction.value === one}
                onChange={() => (redaction.value = one)}
              />
              {t(`redaction.${one}` as Key)}
            </label>
          ))}
        </fieldset>
        <ul class="plain-list">
          {(meta.value?.exports ?? []).map((format) => (
            <li key={format}>
              <button type="button" class="menu-button" onClick={() => void save(format)}>
                {t(`export.${format}` as Key)}
              </button>
            </li>
          ))}
        </ul>
        {error.value !== undefined && (
          <p class="error-text" role="alert">
            {error.value}
          </p>
        )}
      </div>
    </>
  );
}

function saveAs(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
