import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, isLocked } from '../api.ts';
import { t } from '../i18n/index.ts';
import { route } from '../route.ts';
import { messageOf } from '../ui/context.ts';
import { lazy } from '../ui/lazy.tsx';
import { LinkDialog } from '../ui/link-dialog.tsx';
import { hasServer } from './actions.ts';
import { catalog, meta } from './catalog-facts.ts';
import { DropTarget } from './drop-target.tsx';
import { History } from './history.tsx';
import { OpenScreen } from './open-screen.tsx';
import { RunScreen } from './run-screen.tsx';
import { SkipLinks } from './skip-links.tsx';
import { TopBar } from './top-bar.tsx';
import { Unlock } from './unlock.tsx';

const Compare = lazy<object>(async () => (await import('./compare.tsx')).Compare);

/** The page of a server that is running. */
export function App() {
  const fault = useSignal<string | undefined>(undefined);
  const load = async () => {
    fault.value = undefined;
    try {
      [meta.value, catalog.value] = await Promise.all([api.meta(), api.catalog()]);
    } catch (error) {
      if (!isLocked.value) fault.value = messageOf(error);
    }
  };
  useEffect(() => {
    if (hasServer.value && !isLocked.value) void load();
  }, [isLocked.value]);
  if (hasServer.value && isLocked.value) return <Unlock />;
  return (
    <div class="app">
      <SkipLinks />
      <TopBar />
      <main class="screen" id="main">
        {fault.value !== undefined && (
          <div class="banner error" role="alert">
            <span class="banner-text">{fault.value}</span>
            <button type="button" class="button small" onClick={() => void load()}>
              {t('retry')}
            </button>
          </div>
        )}
        <Screen />
      </main>
      <DropTarget />
      <LinkDialog />
    </div>
  );
}

function Screen() {
  const { screen } = route.value;
  if (!hasServer.value) return screen === 'compare' ? <Compare /> : <OpenScreen />;
  switch (screen) {
    case 'run':
    case 'inspect':
      return <RunScreen />;
    case 'history':
      return <History />;
    case 'compare':
      return <Compare />;
    case 'open':
      return <OpenScreen />;
  }
}
