import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { FieldProblem } from '../../protocol.ts';
import { t } from '../i18n/index.ts';
import { Icon } from '../ui/icon.tsx';

/** What the server has against single fields; each is shown at its field. */
export const FieldErrors = createContext<readonly FieldProblem[]>([]);

export interface FieldAttributes {
  readonly id: string;
  readonly 'aria-invalid': boolean;
  readonly 'aria-describedby': string | undefined;
}

export function Field(props: {
  /** As the server calls it. */
  readonly name: string;
  readonly label: string;
  readonly note?: string | undefined;
  readonly hideLabel?: boolean;
  readonly isChanged?: boolean;
  readonly children: (attributes: FieldAttributes) => ComponentChildren;
}) {
  const { name, label, note, hideLabel = false, isChanged = false } = props;
  const errors = useContext(FieldErrors).filter(
    ({ field }) => field === name || field.startsWith(`${name}.`) || field.startsWith(`${name}[`),
  );
  const id = `field-${name.replaceAll('.', '-')}`;
  const errorId = `${id}-error`;
  return (
    <div class="field">
      <div class={hideLabel ? 'visually-hidden' : 'field-label'}>
        <label for={id}>
          {label}
          {isChanged && <ChangedDot />}
        </label>
        {note !== undefined && <small>{note}</small>}
      </div>
      {props.children({
        id,
        'aria-invalid': errors.length > 0,
        'aria-describedby': errors.length > 0 ? errorId : undefined,
      })}
      {errors.length > 0 && (
        <p id={errorId} class="error-text">
          {errors
            .map(({ field, rule, fix }) => `${field}: ${rule}${fix === undefined ? '' : ` ${fix}`}`)
            .join(' ')}
        </p>
      )}
    </div>
  );
}

/** Against the configuration. */
function ChangedDot() {
  return <span class="changed" role="img" aria-label={t('form.changed')} title={t('form.changed')} />;
}

export function ResetButton({ onClick }: { onClick: () => void }) {
  return (
    <button type="button" class="text-button" onClick={onClick}>
      {t('form.reset')}
    </button>
  );
}

export function Fold(props: {
  readonly title: string;
  readonly note?: string | undefined;
  readonly isChanged?: boolean;
  readonly isOpen?: boolean;
  readonly children: ComponentChildren;
}) {
  return (
    <details class="fold form-fold" open={props.isOpen === true}>
      <summary>
        <Icon name="right" class="twist" />
        <b>{props.title}</b>
        {props.isChanged && <ChangedDot />}
        {props.note !== undefined && <small>{props.note}</small>}
      </summary>
      <div class="fold-body">{props.children}</div>
    </details>
  );
}
