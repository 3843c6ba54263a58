import { t } from '../i18n/index.ts';
import { catalog } from './catalog-facts.ts';
import { Field, Fold, ResetButton } from './form-fields.tsx';
import type { FormState, OptionName } from './form-state.ts';

/** How far a run may go, and how the model is asked. What the provider does not know is disabled, with the reason. */
export function Limits({ form }: { form: FormState }) {
  const configured = form.chosenConfiguration.value;
  const rounds = form.maxRounds.value ?? configured?.maxRounds ?? catalog.value?.defaults.maxRounds ?? 5;
  const seconds = form.seconds.value;
  const option = (name: OptionName) => form.options.value[name] ?? configured?.options?.[name];
  const thinking = option('thinking');
  const isChanged =
    form.maxRounds.value !== undefined ||
    form.seconds.value !== undefined ||
    Object.values(form.options.value).some((value) => value !== undefined);
  const note = [
    t('limits.rounds', { n: rounds }),
    option('maxTokens') == null ? undefined : t('limits.maxTokens', { n: Number(option('maxTokens')) }),
    option('temperature') == null
      ? undefined
      : t('limits.temperature', { value: String(option('temperature')) }),
    thinking == null ? undefined : thinking ? t('limits.thinkingOn') : t('limits.thinkingOff'),
    seconds === undefined ? undefined : t('limits.seconds', { n: seconds }),
  ].filter((part) => part !== undefined);
  return (
    <Fold title={t('form.limits')} note={note.join(' · ')} isChanged={isChanged}>
      <div class="field-row">
        <NumberField
          name="maxRounds"
          label={t('form.maxRounds')}
          value={form.maxRounds.value ?? configured?.maxRounds}
          placeholder={String(rounds)}
          min={1}
          max={1000}
          onChange={(value) => (form.maxRounds.value = value)}
        />
        <NumberField
          name="limits.durationMs"
          label={t('form.seconds')}
          value={seconds}
          placeholder={t('form.noLimit')}
          min={1}
          onChange={(value) => (form.seconds.value = value)}
        />
        <OptionField form={form} name="maxTokens" label={t('form.maxTokens')} min={1} />
        <OptionField
          form={form}
          name="temperature"
          label={t('form.temperature')}
          min={0}
          max={2}
          step={0.1}
        />
        <Field name="options.thinking" label={t('form.thinking')} note={unsupported(form, 'thinking')}>
          {(attributes) => (
            <select
              {...attributes}
              class="input"
              disabled={unsupported(form, 'thinking') !== undefined}
              value={thinking == null ? '' : String(thinking)}
              onChange={(event) => {
                const { value } = event.currentTarget;
                form.setOption(
                  'thinking',
                  value === ''
                    ? configured?.options?.thinking === undefined
                      ? undefined
                      : null
                    : value === 'true',
                );
              }}
            >
              <option value="">{t('form.default')}</option>
              <option value="true">{t('on')}</option>
              <option value="false">{t('off')}</option>
            </select>
          )}
        </Field>
      </div>
      {isChanged && (
        <ResetButton
          onClick={() => {
            form.maxRounds.value = undefined;
            form.seconds.value = undefined;
            form.options.value = {};
          }}
        />
      )}
    </Fold>
  );
}

function OptionField(props: {
  form: FormState;
  name: 'maxTokens' | 'temperature';
  label: string;
  min: number;
  max?: number;
  step?: number;
}) {
  const { form, name, label, min } = props;
  const reason = unsupported(form, name);
  const own = form.options.value[name];
  const configured = form.chosenConfiguration.value?.options?.[name];
  return (
    <NumberField
      name={`options.${name}`}
      label={label}
      note={reason}
      isDisabled={reason !== undefined}
      value={own === undefined ? configured : own === null ? undefined : Number(own)}
      placeholder={t('form.default')}
      min={min}
      {...(props.max === undefined ? {} : { max: props.max })}
      {...(props.step === undefined ? {} : { step: props.step })}
      onChange={(value) => form.setOption(name, value ?? (configured === undefined ? undefined : null))}
    />
  );
}

function NumberField(props: {
  name: string;
  label: string;
  value: number | undefined;
  placeholder: string;
  min: number;
  max?: number;
  step?: number;
  note?: string | undefined;
  isDisabled?: boolean;
  onChange: (value: number | undefined) => void;
}) {
  return (
    <Field name={props.name} label={props.label} note={props.note}>
      {(attributes) => (
        <input
          {...attributes}
          class="input number"
          type="number"
          min={props.min}
          max={props.max}
          step={props.step ?? 1}
          disabled={props.isDisabled}
          placeholder={props.placeholder}
          value={props.value ?? ''}
          onInput={(event) => {
            const { value } = event.currentTarget;
            props.onChange(value === '' ? undefined : Number(value));
          }}
        />
      )}
    </Field>
  );
}

function unsupported(form: FormState, name: OptionName): string | undefined {
  return form.chosenProvider.value?.unsupported?.[name];
}
