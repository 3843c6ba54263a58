import { expect, test } from 'vitest';
import { opened, sealed } from './opaque-token.ts';

test('a seal gives the token back, and only for the text it was made for', () => {
  expect(opened(sealed('tökén', 'thought'), 'thought')).toBe('tökén');
  expect(opened(sealed('token', 'thought'), 'another')).toBeUndefined();
  expect(opened(`${sealed('token')}x`)).toBeUndefined();
  expect(sealed('token')).toContain('token');
});

test('what another provider sealed comes through as it is', () => {
  expect(opened('EqQBCkYI', 'thought')).toBe('EqQBCkYI');
});
