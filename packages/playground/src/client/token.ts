/** The token of this server: from the address it printed, or from a tab that has it. Never in a cookie, never in a URL again. */

const KEY = 'glassloop.token';
const channel = typeof BroadcastChannel === 'undefined' ? undefined : new BroadcastChannel('glassloop');

/** Takes the token out of the address bar; else asks open tabs for it. */
export async function findToken(): Promise<string | undefined> {
  const match = /^#t=([A-Za-z0-9_-]+)(.*)$/.exec(location.hash);
  if (match !== null) {
    saveToken(match[1] as string);
    history.replaceState(null, '', location.pathname + (match[2] === '' ? '#/run' : `#${match[2]}`));
  }
  answerOtherTabs();
  return sessionStorage.getItem(KEY) ?? (await askOtherTabs());
}

export function token(): string {
  return sessionStorage.getItem(KEY) ?? '';
}

export function saveToken(text: string): void {
  sessionStorage.setItem(KEY, text);
}

/** What a person pasted: the token, or the whole address with it. */
export function tokenIn(pasted: string): string {
  return /[#&]?t=([A-Za-z0-9_-]+)/.exec(pasted)?.[1] ?? pasted.trim();
}

function answerOtherTabs(): void {
  channel?.addEventListener('message', (event) => {
    const known = sessionStorage.getItem(KEY);
    if (event.data === 'token?' && known !== null) channel.postMessage({ token: known });
  });
}

function askOtherTabs(): Promise<string | undefined> {
  if (channel === undefined) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const done = (found: string | undefined) => {
      channel.removeEventListener('message', listen);
      resolve(found);
    };
    const listen = (event: MessageEvent) => {
      const found = (event.data as { token?: unknown } | null)?.token;
      if (typeof found !== 'string') return;
      saveToken(found);
      done(found);
    };
    channel.addEventListener('message', listen);
    channel.postMessage('token?');
    setTimeout(done, 150, undefined);
  });
}
