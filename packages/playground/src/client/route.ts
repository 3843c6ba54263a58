/** The hash is the route: it works without a server too, and a step can be linked. */

import { signal } from '@preact/signals';

export interface Route {
  readonly screen: 'run' | 'inspect' | 'history' | 'compare' | 'open';
  /** Of `#/r/ID`. */
  readonly id?: string;
  readonly query: URLSearchParams;
}

function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#/, '').split('?', 2);
  const parts = path.split('/').filter((part) => part !== '');
  const params = new URLSearchParams(query);
  switch (parts[0]) {
    case 'r':
      return parts[1] === undefined
        ? { screen: 'history', query: params }
        : { screen: 'inspect', id: safeDecode(parts[1]), query: params };
    case 'history':
    case 'compare':
    case 'open':
      return { screen: parts[0], query: params };
    default:
      return { screen: 'run', query: params };
  }
}

export const route = signal<Route>(parseRoute(location.hash));

export function startRouting(): void {
  addEventListener('hashchange', () => {
    route.value = parseRoute(location.hash);
  });
}

export function go(hash: string, replace = false): void {
  if (`#${hash.replace(/^#/, '')}` === location.hash) return;
  if (replace) history.replaceState(null, '', hash);
  else history.pushState(null, '', hash);
  route.value = parseRoute(location.hash);
}

/** The same route with some of its query changed; `undefined` removes. */
export function withQuery(changes: { readonly [name: string]: string | undefined }): string {
  const [path = '', query = ''] = location.hash.split('?', 2);
  const params = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined || value === '') params.delete(name);
    else params.set(name, value);
  }
  const text = params.toString();
  return text === '' ? path : `${path}?${text}`;
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
