import type { RunsPage } from '../../protocol.ts';
import { RUN_STATUSES } from '../../protocol.ts';
import { type Key, t } from '../i18n/index.ts';
import { go, route, withQuery } from '../route.ts';
import { Icon } from '../ui/icon.tsx';
import { isFiltered, type RunFilter } from './history-query.ts';

/** The state of each control is in the address, so that a list can be linked, reloaded and left with Back. */
export function HistoryFilters({ all }: { all: RunsPage['all'] | undefined }) {
  const { query } = route.value;
  const value = (name: RunFilter) => query.get(name) ?? '';
  const set = (name: RunFilter, text: string) => go(withQuery({ [name]: text }), true);
  const choice = (name: 'status' | 'model' | 'tool', label: string, options: readonly string[]) => {
    const chosen = value(name);
    const known = chosen === '' || options.includes(chosen) ? options : [chosen, ...options];
    return (
      <label class="filter">
        <span>{label}</span>
        <select class="input small" value={chosen} onChange={(event) => set(name, event.currentTarget.value)}>
          <option value="">{t('history.any')}</option>
          {known.map((one) => (
            <option key={one} value={one}>
              {name === 'status' && options.includes(one) ? t(`status.${one}` as Key) : one}
            </option>
          ))}
        </select>
      </label>
    );
  };
  const day = (name: 'from' | 'to') => (
    <label class="filter">
      <span>{t(`history.${name}`)}</span>
      <input
        type="date"
        class="input small"
        value={value(name)}
        onChange={(event) => set(name, event.currentTarget.value)}
      />
    </label>
  );
  return (
    <search class="history-filters" aria-label={t('history.filters')}>
      <label class="filter wide">
        <span>{t('history.find')}</span>
        <span class="field-with-icon">
          <Icon name="find" />
          <input
            id="history-search"
            type="search"
            placeholder={t('history.search')}
            value={value('q')}
            onInput={(event) => set('q', event.currentTarget.value)}
          />
        </span>
      </label>
      {choice('status', t('status'), RUN_STATUSES)}
      {choice('model', t('model'), all?.models ?? [])}
      {choice('tool', t('chip.tool'), all?.tools ?? [])}
      {day('from')}
      {day('to')}
      {isFiltered(query) && (
        <button type="button" class="button small" onClick={() => go('#/history', true)}>
          {t('filter.clear')}
        </button>
      )}
    </search>
  );
}
