import { useEffect } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { go, route } from '../route.ts';
import { Icon } from '../ui/icon.tsx';
import { prefill } from './actions.ts';
import { catalog } from './catalog-facts.ts';
import { ExportMenu } from './export-menu.tsx';
import { Inspector } from './lazy-inspector.tsx';
import { RunBar } from './run-bar.tsx';
import { RunForm } from './run-form.tsx';
import { inspection, openError, stopRun, watchRun } from './run-session.ts';

/** The form; and once there is a run, its inspector with the form folded to a bar. */
export function RunScreen() {
  const isRunning = inspection.value?.version.value !== undefined && inspection.value.store.isRunning;
  const { screen, id } = route.value;
  useEffect(() => {
    if (screen === 'inspect' && id !== undefined) watchRun(id);
  }, [screen, id]);
  if (catalog.value === undefined) return <p class="absent screen-note">{t('loading')}</p>;
  if (screen === 'run' || id === undefined) return <RunForm key="form" />;
  const open = inspection.value;
  if (openError.value !== undefined && (open === undefined || open.store.steps.length === 0)) {
    return (
      <div class="empty">
        <p class="error-text" role="alert">
          {openError.value}
        </p>
        <a class="button" href="#/history">
          {t('nav.history')}
        </a>
      </div>
    );
  }
  if (open === undefined) return <p class="absent screen-note">{t('loading')}</p>;
  return (
    <>
      <RunBar inspection={open} />
      <Inspector
        key={id}
        inspection={open}
        onStop={() => stopRun(open)}
        actions={
          !isRunning &&
          open.store.newerVersion === undefined && (
            <>
              <button
                type="button"
                class="button small"
                onClick={() => go(`#/compare?a=${encodeURIComponent(id)}`)}
              >
                <Icon name="compare" />
                {t('nav.compare')}
              </button>
              <ExportMenu id={id} />
            </>
          )
        }
      />
    </>
  );
}

export function editAsNew(request: NonNullable<typeof prefill.value>): void {
  prefill.value = request;
  go('#/run');
}
