import { useSignal } from '@preact/signals';
import type { RunSummary } from '../../protocol.ts';
import { api } from '../api.ts';
import { t } from '../i18n/index.ts';
import { messageOf } from '../ui/context.ts';
import { Dialog } from '../ui/dialog.tsx';
import { tagsOf } from './history-query.ts';

/** Title, note and tags of a run: they are beside the trace, never in it. */
export function AboutDialog(props: {
  readonly run: RunSummary;
  readonly onClose: () => void;
  readonly onSaved: () => void;
}) {
  const { run, onClose, onSaved } = props;
  const title = useSignal(run.title ?? '');
  const note = useSignal(run.note ?? '');
  const tags = useSignal(run.tags.join(', '));
  const fault = useSignal<string | undefined>(undefined);
  const save = async () => {
    try {
      await api.patch(run.id, {
        title: title.value.trim() || null,
        note: note.value.trim() === '' ? null : note.value,
        tags: tagsOf(tags.value),
      });
      onSaved();
    } catch (error) {
      fault.value = messageOf(error);
    }
  };
  return (
    <Dialog title={t('history.about')} onClose={onClose}>
      <form
        class="about"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <label>
          {t('about.title')}
          <input
            class="input"
            maxLength={200}
            placeholder={run.prompt}
            value={title.value}
            onInput={(event) => (title.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {t('about.note')}
          <textarea
            class="input"
            rows={4}
            maxLength={10_000}
            value={note.value}
            onInput={(event) => (note.value = event.currentTarget.value)}
          />
        </label>
        <label>
          {t('about.tags')}
          <input
            class="input"
            value={tags.value}
            onInput={(event) => (tags.value = event.currentTarget.value)}
          />
        </label>
        {fault.value !== undefined && (
          <p class="error-text" role="alert">
            {fault.value}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {t('cancel')}
          </button>
          <button type="submit" class="button primary">
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
