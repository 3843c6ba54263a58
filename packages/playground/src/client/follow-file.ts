/** Follows a trace file that another program is writing, by reading what was added once a second. */

import { signal } from '@preact/signals';
import { bodiesFrom } from './file-trace.ts';
import { t } from './i18n/index.ts';
import { Inspection } from './inspection.ts';
import { TraceStore } from './trace/trace-store.ts';
import { TraceIndexer } from './trace-index.ts';
import { messageOf } from './ui/context.ts';

const EVERY_MS = 1000;
const PIECE_BYTES = 4_000_000;
const MOST_MISSES = 10;

type Picker = (options: object) => Promise<FileSystemFileHandle[]>;

const picker = () => (globalThis as { showOpenFilePicker?: Picker }).showOpenFilePicker;

/** Whether this browser can read a file again after it was chosen. */
export function canFollow(): boolean {
  return picker() !== undefined;
}

/** undefined: nothing was chosen. */
export async function chooseFile(): Promise<FileSystemFileHandle | undefined> {
  try {
    return (await picker()?.({ multiple: false }))?.[0];
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined;
    throw error;
  }
}

/** Whether a file is being followed; can be stopped, and taken up again where it was left. */
export class Tail {
  readonly isOn = signal(false);
  /** Why it ended by itself. */
  readonly fault = signal<string | undefined>(undefined);
  readonly #handle: FileSystemFileHandle;
  readonly #indexer = new TraceIndexer();
  readonly #inspection: Inspection;
  readonly #addPart: ReturnType<typeof bodiesFrom>;
  #read = 0;
  #misses = 0;

  constructor(handle: FileSystemFileHandle, inspection: Inspection) {
    this.#handle = handle;
    this.#inspection = inspection;
    this.#addPart = bodiesFrom(inspection.store, () => handle.getFile());
    inspection.signal.addEventListener('abort', () => this.stop());
  }

  /** Resolves when it has ended: by `stop`, at the end of the trace, or because the file cannot be read on. */
  async start(): Promise<void> {
    if (this.isOn.value) return;
    const { store } = this.#inspection;
    this.isOn.value = true;
    this.fault.value = undefined;
    store.connection = 'live';
    this.#inspection.follow.value = true;
    try {
      while (this.isOn.value) {
        await this.#readOn();
        if (store.end !== undefined) break;
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
      }
    } catch (error) {
      this.fault.value = messageOf(error);
    }
    this.stop();
  }

  stop(): void {
    if (!this.isOn.value) return;
    this.isOn.value = false;
    const { store } = this.#inspection;
    store.connection = 'closed';
    store.changed();
  }

  async #readOn(): Promise<void> {
    const file = await this.#handle.getFile();
    if (file.size < this.#read) throw new Error(t('tail.shorter'));
    while (this.#read < file.size && this.isOn.value) {
      let bytes: Uint8Array;
      try {
        bytes = new Uint8Array(await file.slice(this.#read, this.#read + PIECE_BYTES).arrayBuffer());
      } catch (error) {
        // It was written to meanwhile; the next look at it is a new one.
        if (++this.#misses > MOST_MISSES) throw error;
        return;
      }
      this.#misses = 0;
      this.#read += bytes.length;
      this.#indexer.push(bytes);
      this.#addPart(this.#indexer.take());
      this.#inspection.store.changed();
    }
  }
}

/** Opens a file and follows it. */
export function followFile(handle: FileSystemFileHandle): Inspection {
  const inspection = new Inspection(new TraceStore(), {
    kind: 'file',
    name: handle.name,
    file: () => handle.getFile(),
  });
  inspection.tail = new Tail(handle, inspection);
  void inspection.tail.start();
  return inspection;
}
