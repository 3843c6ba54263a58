import { useSignal } from '@preact/signals';
import { t } from '../i18n/index.ts';
import type { Inspection } from '../inspection.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { editAsNew } from './run-screen.tsx';
import { startRun } from './run-session.ts';

/** What was asked, in one line, with the ways to ask again. */
export function RunBar({ inspection }: { inspection: Inspection }) {
  const error = useSignal<string | undefined>(undefined);
  inspection.version.value;
  const { store } = inspection;
  // What a newer version asked for may mean something else here.
  const request = store.newerVersion === undefined ? store.header?.request : undefined;
  const first = store.steps[0]?.kind === 'assembled' ? store.bodies.get(0) : undefined;
  const settings =
    first !== undefined && !(first instanceof Promise) && first.kind === 'assembled' ? first : undefined;
  const chips: (readonly [string, string])[] = [];
  if (settings !== undefined) {
    chips.push([settings.settings.adapter, settings.settings.model]);
    if (request?.configuration !== undefined) chips.push([t('chip.configuration'), request.configuration]);
    const count = (kind: string) =>
      new Set(settings.sources.filter((one) => one.kind === kind).map((one) => one.id)).size;
    if (count('skill') > 0) chips.push([t('chip.skills'), String(count('skill'))]);
    if (count('snippet') > 0) chips.push([t('chip.snippets'), String(count('snippet'))]);
    chips.push(
      [t('chip.tools'), String(settings.tools.length)],
      [t('chip.rounds'), String(settings.settings.maxRounds)],
    );
    const { options } = settings.settings;
    if (options?.thinking !== undefined)
      chips.push([t('chip.thinking'), options.thinking ? t('on') : t('off')]);
    if (options?.maxTokens !== undefined) chips.push([t('chip.maxTokens'), String(options.maxTokens)]);
    if (options?.temperature !== undefined) chips.push([t('chip.temperature'), String(options.temperature)]);
  }
  if (store.header?.capturesRaw) chips.push([t('chip.raw'), t('chip.captured')]);
  const again = (dryRun: boolean) => {
    error.value = undefined;
    const { dryRun: _, ...rest } = request ?? {};
    startRun(dryRun ? { ...rest, dryRun } : rest).catch((problem: unknown) => {
      error.value = messageOf(problem);
    });
  };
  return (
    <section class="run-bar" aria-label={t('form.title')}>
      {request !== undefined && (
        <button
          type="button"
          class="icon-button"
          aria-expanded={false}
          aria-label={t('form.edit')}
          title={t('form.edit')}
          onClick={() => editAsNew(request)}
        >
          <Icon name="right" class="flips" />
        </button>
      )}
      <div class="run-bar-text">
        <h1 dir="auto">
          <VisibleText text={promptOf(request) || store.steps[0]?.head || t('run.untitled')} />
        </h1>
        <ul class="chips">
          {chips.map(([name, value]) => (
            <li key={name + value} class="chip">
              {name} <b>{value}</b>
            </li>
          ))}
        </ul>
        {error.value !== undefined && (
          <p class="error-text" role="alert">
            {error.value}
          </p>
        )}
      </div>
      {request !== undefined && (
        <>
          <button
            type="button"
            class="button wide-only"
            disabled={store.isRunning}
            onClick={() => again(true)}
          >
            {t('form.dryRun')}
          </button>
          <button
            type="button"
            class="button primary"
            disabled={store.isRunning}
            onClick={() => again(false)}
          >
            <Icon name="play" class="filled" />
            {t('run.again')}
          </button>
        </>
      )}
    </section>
  );
}

function promptOf(request: { prompt?: unknown } | undefined): string | undefined {
  return typeof request?.prompt === 'string' ? request.prompt : undefined;
}
