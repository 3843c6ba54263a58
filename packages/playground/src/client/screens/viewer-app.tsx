import { route } from '../route.ts';
import { LinkDialog } from '../ui/link-dialog.tsx';
import { Compare } from './compare.tsx';
import { DropTarget } from './drop-target.tsx';
import { OpenScreen } from './open-screen.tsx';
import { SkipLinks } from './skip-links.tsx';
import { TopBar } from './top-bar.tsx';

/** The page without a server: files only. */
export function ViewerApp() {
  return (
    <div class="app">
      <SkipLinks />
      <TopBar />
      <main class="screen" id="main">
        {route.value.screen === 'compare' ? <Compare /> : <OpenScreen />}
      </main>
      <DropTarget />
      <LinkDialog />
    </div>
  );
}
