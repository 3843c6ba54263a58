import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { go, route } from '../route.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { currentRun, prefill } from './actions.ts';
import { catalog } from './catalog-facts.ts';
import { ExportMenu } from './export-menu.tsx';
import { Inspector } from './lazy-inspector.tsx';
import { RunBar } from './run-bar.tsx';
import { RunForm } from './run-form.tsx';
import { requestFrom } from './run-from.ts';
import { inspection, openError, stopRun, watchRun } from './run-session.ts';

/** The form; and once there is a run, its inspector with the form folded to a bar. */
export function RunScreen() {
  const isRunning = inspection.value?.version.value !== undefined && inspection.value.store.isRunning;
  const { screen, id, query } = route.value;
  useEffect(() => {
    if (screen === 'inspect' && id !== undefined) watchRun(id);
  }, [screen, id]);
  if (catalog.value === undefined) return <p class="absent screen-note">{t('loading')}</p>;
  if (screen === 'run' || id === undefined) {
    const from = query.get('from');
    return from === null ? (
      <RunForm key="form" />
    ) : (
      <FormFrom key={location.hash} id={from} step={query.get('step')} />
    );
  }
  // The run that was open before must not take what the address says of this one.
  const open = currentRun.value === id ? inspection.value : undefined;
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

/** `#/run?from=ID`, `&step=N`: the form with what a run, or one of its steps, asked for. */
function FormFrom({ id, step }: { id: string; step: string | null }) {
  const isReady = useSignal(false);
  const fault = useSignal<string | undefined>(undefined);
  useEffect(() => {
    requestFrom(id, step === null ? undefined : Number(step), catalog.value!).then(
      (request) => {
        prefill.value = request;
        isReady.value = true;
      },
      (error: unknown) => (fault.value = messageOf(error)),
    );
  }, []);
  if (isReady.value) return <RunForm />;
  if (fault.value === undefined) return <p class="absent screen-note">{t('loading')}</p>;
  return (
    <div class="empty">
      <p class="error-text" role="alert">
        {fault.value}
      </p>
      <a class="button" href="#/run">
        {t('nav.run')}
      </a>
    </div>
  );
}

export function editAsNew(request: NonNullable<typeof prefill.value>): void {
  prefill.value = request;
  go('#/run');
}
