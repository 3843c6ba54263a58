import { expect, it } from 'vitest';
import { AdapterError } from './adapter-error.ts';

it('an AdapterError has no keys for what is not known', () => {
  const error = new AdapterError('network', 'x', { partial: undefined, status: 503 });
  expect(Object.keys(error).sort()).toEqual(['code', 'hint', 'name', 'status']);
});
