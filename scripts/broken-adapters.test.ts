/** The suite has teeth for the real adapters too: a copy of each, broken in one place, turns the case red that is meant for it. */

import { afterAll, describe, expect, it } from 'vitest';
import { type CaseId, runCases } from '../conformance/src/index.ts';
import { wireFormats } from '../packages/simulator/src/index.ts';
import { adapterCopy, adapterNames, MODELS, removeCopies } from './testing/adapter-copy.ts';

afterAll(removeCopies);

/** One fault, put into the source while it is bundled. */
interface Fault {
  readonly name: string;
  readonly file: RegExp;
  readonly from: string | RegExp;
  readonly to: string;
  readonly caughtBy: CaseId;
}

const FAULTS: readonly Fault[] = [
  {
    name: 'captures unless the directive is undefined',
    file: /core\/src\/adapter\/raw\.ts$/,
    from: /options\._capture_raw === true/g,
    to: 'options._capture_raw !== undefined',
    caughtBy: 'capture.only-true',
  },
  {
    name: 'never aborts the request',
    file: /core\/src\/adapter\/call-within\.ts$/,
    from: /controller\.abort\(\w+\);/g,
    to: '',
    caughtBy: 'abort.waiting',
  },
  {
    name: 'counts nothing',
    file: /core\/src\/adapter\/counts\.ts$/,
    from: 'return Math.max(0, Math.round(value));',
    to: 'return 0;',
    caughtBy: 'usage.counts',
  },
];

describe.each(FAULTS)('a copy that $name', ({ file, from, to, caughtBy }) => {
  it.each(adapterNames)(`of %s fails ${caughtBy}`, async (adapter) => {
    const factory = await adapterCopy(adapter, { file, edit: (source) => source.replace(from, to) });
    const [result] = await runCases(
      { wire: wireFormats[adapter], create: (settings) => factory({ model: MODELS[adapter], ...settings }) },
      { only: ({ id }) => id === caughtBy },
    );
    expect(result).toMatchObject({ id: caughtBy, outcome: 'fail' });
  });
});
