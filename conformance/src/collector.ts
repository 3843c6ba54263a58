import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Full garbage collections until `enough` is true, three at most. A process that was not started with `--expose-gc`
 * gets the flag while it runs, so that any test runner will do.
 */
export async function collect(enough: (rounds: number) => boolean): Promise<void> {
  for (let round = 1; round <= 3; round++) {
    // What a turn of the event loop still holds (promise jobs, sockets' write callbacks) is let go by the next ones.
    for (let turn = 0; turn < 3; turn++) await new Promise((resolve) => setTimeout(resolve, 2));
    collector()();
    if (enough(round)) return;
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
