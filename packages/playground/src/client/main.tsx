import './styles/index.css';
import { render } from 'preact';
import { isLocked } from './api.ts';
import { startRouting } from './route.ts';
import { hasServer } from './screens/actions.ts';
import { App } from './screens/app.tsx';
import { startSettings } from './settings.ts';
import { findToken } from './token.ts';

/** `data-mode` of the page says whether a server stands behind it. */
async function start(): Promise<void> {
  hasServer.value = document.documentElement.dataset['mode'] === 'app';
  if (hasServer.value) isLocked.value = (await findToken()) === undefined;
  startRouting();
  await startSettings();
  document.title = 'Glassloop';
  render(<App />, document.getElementById('root')!);
}

void start();
