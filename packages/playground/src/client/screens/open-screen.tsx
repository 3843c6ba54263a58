import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api } from '../api.ts';
import { openFile } from '../file-trace.ts';
import { canFollow, chooseFile, followFile } from '../follow-file.ts';
import { t } from '../i18n/index.ts';
import type { Inspection } from '../inspection.ts';
import { go } from '../route.ts';
import { messageOf } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import { followedFile, hasServer, openFiles } from './actions.ts';
import { open } from './drop-target.tsx';
import { Inspector } from './lazy-inspector.tsx';

const LARGEST_PASTE = 20_000_000;

/** A trace from a file: parsed in the page, sent nowhere. */
export function OpenScreen() {
  const opened = useSignal<Inspection | undefined>(undefined);
  const source = followedFile.value ?? openFiles.value[0];
  useEffect(() => {
    if (source === undefined) return;
    opened.value?.close();
    opened.value = source instanceof File ? openFile(source) : followFile(source);
  }, [source]);
  useEffect(() => () => opened.value?.close(), []);
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      if (/^(INPUT|TEXTAREA)$/.test((event.target as Element | null)?.tagName ?? '')) return;
      const text = event.clipboardData?.getData('text') ?? '';
      if (text.startsWith('{') && text.length <= LARGEST_PASTE) open([new File([text], t('open.pasted'))]);
    };
    addEventListener('paste', paste);
    return () => removeEventListener('paste', paste);
  }, []);
  if (opened.value !== undefined) {
    return (
      <>
        <h1 class="visually-hidden">{source?.name}</h1>
        <Inspector
          key={source?.name}
          inspection={opened.value}
          actions={
            <>
              <FilePicker small />
              <FollowButton small />
              {hasServer.value && <AddToHistory key={source?.name} inspection={opened.value} />}
            </>
          }
        />
      </>
    );
  }
  return (
    <div class="empty open-screen">
      <Icon name="open" />
      <h1>{t('open.title')}</h1>
      <p>{t('open.text')}</p>
      <FilePicker />
      <FollowButton />
      <p class="muted">{t('open.private')}</p>
    </div>
  );
}

export function FilePicker({ small = false }: { small?: boolean }) {
  return (
    <label class={small ? 'button small' : 'button primary'}>
      <Icon name="open" />
      {t('open.choose')}
      <input
        class="visually-hidden"
        type="file"
        multiple
        accept=".ndjson,.jsonl,.json,application/x-ndjson"
        onChange={(event) => {
          open([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = '';
        }}
      />
    </label>
  );
}

/** For a file that another program is still writing. */
function FollowButton({ small = false }: { small?: boolean }) {
  const fault = useSignal<string | undefined>(undefined);
  if (!canFollow()) return small ? null : <p class="muted">{t('tail.none')}</p>;
  const follow = async () => {
    try {
      const handle = await chooseFile();
      if (handle !== undefined) followedFile.value = handle;
    } catch (error) {
      fault.value = messageOf(error);
    }
  };
  return (
    <>
      <button type="button" class={small ? 'button small' : 'button'} onClick={() => void follow()}>
        <Icon name="waiting" />
        {t('tail.follow')}
      </button>
      {fault.value !== undefined && (
        <p class="error-text" role="alert">
          {fault.value}
        </p>
      )}
    </>
  );
}

/** A separate act: opening a file stores nothing. */
function AddToHistory({ inspection }: { inspection: Inspection }) {
  inspection.version.value;
  const state = useSignal<string | undefined>(undefined);
  const add = async () => {
    try {
      const { origin } = inspection;
      if (origin.kind !== 'file') return;
      const { runId } = await api.import(await origin.file());
      go(`#/r/${encodeURIComponent(runId)}`);
    } catch (error) {
      state.value = messageOf(error);
    }
  };
  if (inspection.store.newerVersion !== undefined) return null;
  return (
    <>
      <button type="button" class="button small" onClick={() => void add()}>
        <Icon name="history" />
        {t('open.addToHistory')}
      </button>
      {state.value !== undefined && (
        <span class="error-text" role="alert">
          {state.value}
        </span>
      )}
    </>
  );
}
