import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { FieldProblem, RunRequest } from '../../protocol.ts';
import { ApiProblem } from '../api.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { estimatedTokens } from '../trace/measure.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { focusesSteps, prefill } from './actions.ts';
import { catalog } from './catalog-facts.ts';
import { Estimate } from './form-estimate.tsx';
import { Field, FieldErrors, Fold, ResetButton } from './form-fields.tsx';
import { Limits } from './form-limits.tsx';
import { FormState } from './form-state.ts';
import { TextChoice } from './form-texts.tsx';
import { ToolChoice } from './form-tools.tsx';
import { startRun } from './run-session.ts';

export function RunForm() {
  const form = useMemo(() => {
    const from = prefill.value;
    prefill.value = undefined;
    return new FormState(from);
  }, []);
  const problem = useSignal<{ text: string; hint?: string; requestId?: string } | undefined>(undefined);
  const fields = useSignal<readonly FieldProblem[]>([]);
  const isStarting = useSignal(false);
  const prompt = useRef<HTMLTextAreaElement>(null);
  useEffect(() => prompt.current?.focus(), []);

  const start = async (dryRun: boolean) => {
    if (isStarting.value) return;
    isStarting.value = true;
    problem.value = undefined;
    fields.value = [];
    const request: RunRequest = dryRun ? { ...form.request.value, dryRun } : form.request.value;
    try {
      focusesSteps.value = true;
      await startRun(request);
    } catch (error) {
      focusesSteps.value = false;
      const known = error instanceof ApiProblem ? error.problem : undefined;
      fields.value = known?.fields ?? [];
      problem.value = {
        text: messageOf(error),
        ...(known?.hint === undefined ? {} : { hint: known.hint }),
        ...((known?.status ?? 0) >= 500 ? { requestId: known!.requestId } : {}),
      };
      isStarting.value = false;
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (canStart(event.shiftKey)) void start(event.shiftKey);
  };
  const provider = form.chosenProvider.value;
  const hasPrompt =
    form.prompt.value.trim() !== '' ||
    form.base.value.messages !== undefined ||
    typeof form.base.value.prompt === 'object';
  const mustAllow = form.writers.value.length > 0 && !form.allowsEffects.value;
  const canStart = (dryRun: boolean) => hasPrompt && (dryRun || (provider?.ready === true && !mustAllow));
  const { examplePrompts = [] } = catalog.value?.defaults ?? {};
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hears the keys of all fields in it
    <div class="form-frame" onKeyDown={onKeyDown}>
      <form
        class="run-form"
        aria-labelledby="form-title"
        onSubmit={(event) => {
          event.preventDefault();
          if (canStart(false)) void start(false);
        }}
      >
        <div class="form-head">
          <h1 id="form-title">{t('form.title')}</h1>
          <span class="spacer" />
          <span class="hint">
            <kbd>{t('key.control')}</kbd>
            <kbd>{t('key.enter')}</kbd> {t('form.keyRun')}
          </span>
        </div>
        <FieldErrors.Provider value={fields.value}>
          <WhoAnswers form={form} />
          <Field
            name="prompt"
            label={t('form.prompt')}
            note={t('form.promptTokens', { n: estimatedTokens(form.prompt.value.length) })}
          >
            {(attributes) => (
              <textarea
                {...attributes}
                ref={prompt}
                class="input prompt"
                rows={4}
                dir="auto"
                value={form.prompt.value}
                placeholder={t(
                  form.base.value.messages === undefined ? 'form.promptPlaceholder' : 'form.promptMore',
                )}
                onInput={(event) => form.setPrompt(event.currentTarget.value)}
              />
            )}
          </Field>
          {form.base.value.messages !== undefined && (
            <p class="notice">
              <Icon name="fork" />
              {t('form.conversation', { n: form.base.value.messages.length })}
            </p>
          )}
          {form.prompt.value === '' &&
            form.base.value.messages === undefined &&
            examplePrompts.length > 0 && (
              <div class="examples">
                <span class="muted">{t('form.examples')}</span>
                {examplePrompts.slice(0, 3).map((text) => (
                  <button key={text} type="button" class="example" onClick={() => form.setPrompt(text)}>
                    {text}
                  </button>
                ))}
              </div>
            )}
          <SystemPrompt form={form} />
          <ToolChoice form={form} />
          <TextChoice form={form} kind="skills" />
          <TextChoice form={form} kind="snippets" />
          <Limits form={form} />
        </FieldErrors.Provider>
        <div class="checks">
          <label class="check">
            <input
              type="checkbox"
              checked={form.captureRaw.value}
              onChange={(event) => (form.captureRaw.value = event.currentTarget.checked)}
            />
            {t('form.captureRaw')}
            <small>{t('form.captureRawNote')}</small>
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={form.keep.value}
              onChange={(event) => (form.keep.value = event.currentTarget.checked)}
            />
            {t('form.keep')}
          </label>
        </div>
        {form.writers.value.length > 0 && (
          <label class="check notice warn">
            <input
              type="checkbox"
              checked={form.allowsEffects.value}
              onChange={(event) => (form.allowsEffects.value = event.currentTarget.checked)}
            />
            <span>
              {t('form.writers', { n: form.writers.value.length, names: format.list(form.writers.value) })}
            </span>
          </label>
        )}
        {problem.value !== undefined && (
          <div class="notice error" role="alert">
            <Icon name="failed" />
            <span>
              {problem.value.text} {problem.value.hint}
              {problem.value.requestId !== undefined && <code> {problem.value.requestId}</code>}
            </span>
          </div>
        )}
        <div class="form-foot">
          <Estimate form={form} />
          <span class="spacer" />
          <button
            type="button"
            class="button"
            disabled={!canStart(true) || isStarting.value}
            onClick={() => void start(true)}
          >
            {t('form.dryRun')}
          </button>
          <button type="submit" class="button primary" disabled={!canStart(false) || isStarting.value}>
            <Icon name="play" class="filled" />
            {isStarting.value ? t('form.starting') : t('form.run')}
          </button>
        </div>
      </form>
      <p class="form-after muted">
        {t('form.orOpen')} <a href="#/open">{t('form.openTrace')}</a>
      </p>
    </div>
  );
}

function WhoAnswers({ form }: { form: FormState }) {
  const { configurations = [], providers = [] } = catalog.value ?? {};
  const provider = form.chosenProvider.value;
  const models = provider?.models ?? [];
  return (
    <>
      <div class="field-row">
        {configurations.length > 0 && (
          <Field name="configuration" label={t('form.configuration')}>
            {(attributes) => (
              <select
                {...attributes}
                class="input"
                value={form.configuration.value ?? ''}
                onChange={(event) =>
                  form.choose(event.currentTarget.value === '' ? undefined : event.currentTarget.value)
                }
              >
                <option value="">{t('form.noConfiguration')}</option>
                {configurations.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.title ?? one.id}
                  </option>
                ))}
              </select>
            )}
          </Field>
        )}
        <Field
          name="provider"
          label={t('provider')}
          isChanged={form.provider.value !== undefined && form.configuration.value !== undefined}
        >
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              value={provider?.name ?? ''}
              onChange={(event) => {
                form.provider.value = event.currentTarget.value;
                form.model.value = undefined;
              }}
            >
              {providers.map((one) => (
                <option key={one.name} value={one.name} disabled={!one.ready && one.name !== provider?.name}>
                  {one.title ?? one.name}
                  {one.ready
                    ? ''
                    : ` — ${one.notReady?.variable === undefined ? t('form.notReady') : t('form.setVariable', { name: one.notReady.variable })}`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field
          name="model"
          label={t('model')}
          isChanged={form.model.value !== undefined && form.configuration.value !== undefined}
        >
          {(attributes) =>
            provider?.takesAnyModel === true || models.length === 0 ? (
              <>
                <input
                  {...attributes}
                  class="input mono"
                  list="models"
                  value={form.chosenModel.value}
                  spellcheck={false}
                  autocomplete="off"
                  onInput={(event) => (form.model.value = event.currentTarget.value)}
                />
                <datalist id="models">
                  {models.map((one) => (
                    <option key={one.id} value={one.id} />
                  ))}
                </datalist>
              </>
            ) : (
              <select
                {...attributes}
                class="input mono"
                value={form.chosenModel.value}
                onChange={(event) => (form.model.value = event.currentTarget.value)}
              >
                {models.map((one) => (
                  <option key={one.id} value={one.id}>
                    {one.id}
                  </option>
                ))}
              </select>
            )
          }
        </Field>
      </div>
      {provider !== undefined && !provider.ready && (
        <p class="notice warn">
          <Icon name="warn" />
          <span>{provider.notReady?.text ?? t('form.notReady')}</span>
        </p>
      )}
      {provider?.isDemo === true && (
        <p class="notice">
          <Icon name="demo" />
          <span>{t('form.demo')}</span>
        </p>
      )}
    </>
  );
}

function SystemPrompt({ form }: { form: FormState }) {
  const configured = form.chosenConfiguration.value?.systemPrompt;
  const own = form.systemPrompt.value;
  const note =
    own !== undefined
      ? t('form.changed')
      : configured === undefined
        ? t('form.noSystemPrompt')
        : t('form.usingConfiguration', { n: estimatedTokens(configured.length) });
  return (
    <Fold title={t('form.systemPrompt')} note={note} isChanged={own !== undefined}>
      <Field name="systemPrompt" label={t('form.systemPrompt')} hideLabel>
        {(attributes) => (
          <textarea
            {...attributes}
            class="input mono"
            rows={6}
            dir="auto"
            value={own ?? configured ?? ''}
            onInput={(event) => (form.systemPrompt.value = event.currentTarget.value)}
          />
        )}
      </Field>
      {own !== undefined && <ResetButton onClick={() => (form.systemPrompt.value = undefined)} />}
    </Fold>
  );
}
