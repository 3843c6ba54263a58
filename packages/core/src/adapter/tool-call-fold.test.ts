import { describe, expect, it } from 'vitest';
import { ToolCallFold, type ToolCallFragment, withIds } from './tool-call-fold.ts';

const folded = (...fragments: ToolCallFragment[]) => {
  const fold = new ToolCallFold();
  for (const fragment of fragments) fold.add(fragment);
  return fold.calls();
};

describe('ToolCallFold', () => {
  it('C096 a call is final only at the end, with all of its text', () => {
    const pieces = ['{"q":"a"}', ' \n', ''].map(
      (piece, at): ToolCallFragment => ({
        index: 0,
        ...(at === 0 ? { id: 'a', name: 'x' } : {}),
        arguments: piece,
      }),
    );
    expect(folded(...pieces)).toEqual([{ id: 'a', name: 'x', argumentsJson: '{"q":"a"} \n' }]);
    expect(
      folded({ index: 0, id: 'a', name: 'x', arguments: '{"n":1' }, { index: 0, arguments: '2}' })[0]!
        .argumentsJson,
    ).toBe('{"n":12}');
  });

  it('C097 a new id under a known index is a new call; an empty id goes on', () => {
    expect(
      folded(
        { index: 1, id: 'a', name: 'x', arguments: '{"n":' },
        { index: 1, arguments: '1}' },
        { index: 1, id: 'b', name: 'x', arguments: '{"n":2}' },
        { id: '', arguments: '' },
      ),
    ).toEqual([
      { id: 'a', name: 'x', argumentsJson: '{"n":1}' },
      { id: 'b', name: 'x', argumentsJson: '{"n":2}' },
    ]);
  });

  it('goes on with interleaved calls by index, and with an id that comes again', () => {
    expect(
      folded(
        { index: 0, id: 'a', name: 'x' },
        { index: 1, id: 'b', name: 'y' },
        { index: 0, arguments: '{"a":' },
        { index: 1, arguments: '{"b":' },
        { index: 0, id: 'a', arguments: '1}' },
        { index: 1, arguments: '2}' },
      ).map(({ argumentsJson }) => argumentsJson),
    ).toEqual(['{"a":1}', '{"b":2}']);
  });

  it('takes an id that comes late, a name that comes twice or in pieces, and arguments as an object', () => {
    expect(folded({ index: 0, name: 'x' }, { index: 0, id: 'late', arguments: '{}' })).toEqual([
      { id: 'late', name: 'x', argumentsJson: '{}' },
    ]);
    expect(folded({ index: 0, id: 'a', name: 'get' }, { index: 0, name: 'get' })[0]!.name).toBe('get');
    expect(folded({ index: 0, id: 'a', name: 'get_' }, { index: 0, name: 'time' })[0]!.name).toBe('get_time');
    expect(folded({ id: 'a', name: 'x', arguments: { n: 1 } })[0]!.argumentsJson).toBe('{"n":1}');
    expect(folded({ id: 'a', name: 'x', arguments: null })[0]!.argumentsJson).toBe('{}');
  });

  it('says which fragment began a call', () => {
    const fold = new ToolCallFold();
    expect(fold.add({ index: 0, id: 'a', name: 'x' })).toEqual({ position: 0, isNew: true });
    expect(fold.add({ index: 0, arguments: '{}' })).toEqual({ position: 0, isNew: false });
    expect(fold.add({ index: 1, id: 'b', name: 'x' })).toEqual({ position: 1, isNew: true });
  });

  it('gives every call an id of its own', () => {
    const ids = withIds(
      [{ id: 'a' }, { id: 'a' }, { id: '' }, { id: null }, { id: 'null' }, {}].map((call) => ({
        ...call,
        name: 'x',
        argumentsJson: '{}',
      })),
    ).map(({ id }) => id);
    expect(new Set(ids).size).toBe(6);
    expect(ids[0]).toBe('a');
    for (const id of ids.slice(1)) expect(id).toMatch(/^[a-zA-Z0-9]{9}$/);
  });
});
