import { describe, expect, it } from 'vitest';
import { newCallId, nineLetterId } from './call-id.ts';

describe('call ids', () => {
  it('new ones are nine letters or digits and do not repeat', () => {
    const ids = Array.from({ length: 2000 }, newCallId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });

  it('C066 any id becomes nine letters or digits, always the same ones, and different ids stay different', () => {
    expect(nineLetterId('abc123XYZ')).toBe('abc123XYZ');
    const ids = Array.from({ length: 20_000 }, (_, index) => `call_${index}`).concat(
      '',
      'ü',
      'call_9f8e7d6c5b4a',
      'toolu_01A',
      'functions.get_time:0',
    );
    const short = ids.map(nineLetterId);
    for (const id of short) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
    expect(new Set(short).size).toBe(ids.length);
    expect(ids.map(nineLetterId)).toEqual(short);
  });
});
