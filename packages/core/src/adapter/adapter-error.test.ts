import { expect, it } from 'vitest';
import { AdapterError } from './adapter-error.ts';

it('an AdapterError has no keys for what is not known', () => {
  const error = new AdapterError('network', 'x', { partial: undefined, status: 503 });
  expect(Object.keys(error).sort()).toEqual(['code', 'hint', 'name', 'status']);
});

it('keeps its own code when its facts are spread from another error', () => {
  const other = new AdapterError('context_exceeded', 'too long', { status: 400, requestId: 'r1' });
  const error = new AdapterError('invalid_request', 'no', { ...other, requestId: undefined });
  expect(error).toMatchObject({ code: 'invalid_request', message: 'no', status: 400 });
  expect(Object.keys(error)).not.toContain('requestId');
  expect(other.with({ status: 500, partial: 'p' })).toMatchObject({
    code: 'context_exceeded',
    status: 400,
    partial: 'p',
  });
});
