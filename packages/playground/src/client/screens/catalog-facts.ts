/** What the server can do, once it has said so; the viewer and a report know nothing of it. */

import { signal } from '@preact/signals';
import type { Catalog, CatalogModel, Meta } from '../../protocol.ts';

export const catalog = signal<Catalog | undefined>(undefined);
export const meta = signal<Meta | undefined>(undefined);

function modelOf(provider: string | undefined, model: string | undefined): CatalogModel | undefined {
  return catalog.value?.providers
    .find((one) => one.name === provider)
    ?.models.find((one) => one.id === model);
}

export function contextWindowOf(provider: string | undefined, model: string | undefined): number | undefined {
  return modelOf(provider, model)?.contextWindow;
}

export function pricesDate(): string | undefined {
  return meta.value?.pricesAsOf;
}
