import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * A full garbage collection, in any runner: the flag is set on the running process, so none has to be started with
 * `--expose-gc`, and the adapter under test is the very one of the test file.
 */
export async function collect(): Promise<void> {
  const gc = collector();
  // What a turn of the event loop still holds (promise jobs, sockets' write callbacks) is let go by the next ones.
  for (let round = 0; round < 2; round++) {
    await new Promise((resolve) => setTimeout(resolve, 4));
    gc();
  }
}

let found: (() => void) | undefined;

function collector(): () => void {
  found ??= (globalThis as { gc?: () => void }).gc;
  if (found === undefined) {
    setFlagsFromString('--expose-gc');
    found = runInNewContext('gc') as () => void;
  }
  return found;
}
