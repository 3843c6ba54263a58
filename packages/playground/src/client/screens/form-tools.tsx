import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { CatalogTool } from '../../protocol.ts';
import { t } from '../i18n/index.ts';
import { catalog } from './catalog-facts.ts';
import { Fold, ResetButton } from './form-fields.tsx';
import type { FormState } from './form-state.ts';

/** All tools by group; each group ticks all, some or none. "None" offers none: an empty list is sent. */
export function ToolChoice({ form }: { form: FormState }) {
  const filter = useSignal('');
  const tools = catalog.value?.tools ?? [];
  if (tools.length === 0) return null;
  const chosen = form.chosenTools.value;
  const needle = filter.value.trim().toLowerCase();
  const shown = tools.filter((tool) =>
    `${tool.name} ${tool.description} ${tool.group}`.toLowerCase().includes(needle),
  );
  const groups = [...new Set(shown.map((tool) => tool.group))];
  const set = (names: readonly string[], on: boolean) => {
    const next = new Set(chosen);
    for (const name of names) on ? next.add(name) : next.delete(name);
    form.tools.value = next;
    form.allowsEffects.value = false;
  };
  return (
    <Fold
      title={t('form.tools')}
      note={t('form.toolsChosen', { n: chosen.size, all: tools.length })}
      isChanged={form.tools.value !== undefined}
      isOpen
    >
      <div class="tool-actions">
        <label>
          <span class="visually-hidden">{t('form.filterTools')}</span>
          <input
            class="input small"
            type="search"
            placeholder={t('form.filterTools')}
            value={filter.value}
            onInput={(event) => (filter.value = event.currentTarget.value)}
          />
        </label>
        <button
          type="button"
          class="text-button"
          onClick={() =>
            set(
              shown.map((tool) => tool.name),
              true,
            )
          }
        >
          {t('form.all')}
        </button>
        <button
          type="button"
          class="text-button"
          onClick={() =>
            set(
              shown.map((tool) => tool.name),
              false,
            )
          }
        >
          {t('form.none')}
        </button>
        {form.tools.value !== undefined && <ResetButton onClick={() => (form.tools.value = undefined)} />}
      </div>
      {groups.map((group) => (
        <Group
          key={group}
          name={group}
          tools={shown.filter((tool) => tool.group === group)}
          chosen={chosen}
          onChange={set}
        />
      ))}
      {shown.length === 0 && <p class="absent">{t('form.noTool', { text: filter.value })}</p>}
    </Fold>
  );
}

function Group(props: {
  name: string;
  tools: readonly CatalogTool[];
  chosen: ReadonlySet<string>;
  onChange: (names: readonly string[], on: boolean) => void;
}) {
  const { name, tools, chosen, onChange } = props;
  const names = tools.map((tool) => tool.name);
  const on = names.filter((one) => chosen.has(one)).length;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = on > 0 && on < names.length;
  }, [on, names.length]);
  return (
    <fieldset class="tool-group">
      <legend>
        <label class="check">
          <input
            ref={box}
            type="checkbox"
            checked={on === names.length}
            onChange={() => onChange(names, on < names.length)}
          />
          {name}
        </label>
      </legend>
      <div class="tool-list">
        {tools.map((tool) => (
          <label key={tool.name} class="check tool-check" title={tool.description}>
            <input
              type="checkbox"
              checked={chosen.has(tool.name)}
              onChange={(event) => onChange([tool.name], event.currentTarget.checked)}
            />
            <code>{tool.name}</code>
            <span class={tool.effect === 'writes' ? 'effect writes' : 'effect'}>
              {t(`effect.${tool.effect}`)}
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
