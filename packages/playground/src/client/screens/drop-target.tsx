import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { go } from '../route.ts';
import { followedFile, openFiles } from './actions.ts';

/** Files may be dropped anywhere: one is opened, two are compared. Nothing is uploaded. */
export function DropTarget() {
  const isOver = useSignal(false);
  useEffect(() => {
    const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const over = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      if (!holdsFiles(event)) return;
      event.preventDefault();
      isOver.value = false;
      open([...(event.dataTransfer?.files ?? [])]);
    };
    const stop = new AbortController();
    addEventListener('dragover', over, stop);
    addEventListener('dragleave', leave, stop);
    addEventListener('drop', drop, stop);
    return () => stop.abort();
  }, []);
  return isOver.value ? <div class="drop-target">{t('open.drop')}</div> : null;
}

export function open(files: readonly File[]): void {
  if (files.length === 0) return;
  followedFile.value = undefined;
  openFiles.value = files.slice(0, 2);
  go(files.length > 1 ? '#/compare' : '#/open');
}
