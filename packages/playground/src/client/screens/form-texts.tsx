import type { CatalogText } from '../../protocol.ts';
import { t } from '../i18n/index.ts';
import { catalog } from './catalog-facts.ts';
import { Fold, ResetButton } from './form-fields.tsx';
import type { FormState } from './form-state.ts';

/** Skills or snippets: which of them go into the prompt, how big each is and where it comes from. */
export function TextChoice({ form, kind }: { form: FormState; kind: 'skills' | 'snippets' }) {
  const texts = catalog.value?.[kind] ?? [];
  if (texts.length === 0) return null;
  const own = form[kind].value;
  const chosen = own ?? new Set(form.chosenConfiguration.value?.[kind] ?? []);
  const toggle = (id: string, on: boolean) => {
    const next = new Set(chosen);
    on ? next.add(id) : next.delete(id);
    form[kind].value = next;
  };
  return (
    <Fold
      title={t(`form.${kind}`)}
      note={t('form.chosen', { n: chosen.size, all: texts.length })}
      isChanged={own !== undefined}
    >
      <ul class="plain-list">
        {texts.map((text) => (
          <li key={text.id}>
            <label class="check text-check">
              <input
                type="checkbox"
                checked={chosen.has(text.id)}
                disabled={!text.enabled}
                onChange={(event) => toggle(text.id, event.currentTarget.checked)}
              />
              <b>{text.name}</b>
              <small>{factsOf(text)}</small>
            </label>
          </li>
        ))}
      </ul>
      {own !== undefined && <ResetButton onClick={() => (form[kind].value = undefined)} />}
    </Fold>
  );
}

function factsOf(text: CatalogText): string {
  return [
    t('tokens.about', { n: text.tokens }),
    text.trust === undefined ? undefined : t(`trust.${text.trust}`),
    text.source === '' ? undefined : text.source,
    text.file,
    text.enabled ? undefined : t('form.disabled'),
    text.description,
  ]
    .filter((fact) => fact !== undefined)
    .join(' · ');
}
