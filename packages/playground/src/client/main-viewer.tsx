import './styles/index.css';
import { render } from 'preact';
import { openReport } from './report.tsx';
import { startRouting } from './route.ts';
import { ViewerApp } from './screens/viewer-app.tsx';
import { startSettings } from './settings.ts';

/** One file, no server: shows the trace that is inside, or those that are dropped on it. */
async function start(): Promise<void> {
  startRouting();
  await startSettings();
  const root = document.getElementById('root')!;
  const report = await openReport();
  render(report ?? <ViewerApp />, root);
}

void start();
