import { expect, it } from 'vitest';
import { Column } from './column.ts';

it.each([
  ['doubles', Float64Array, (index: number) => index / 3],
  ['whole numbers', Int32Array, (index: number) => -index],
  ['bytes', Uint8Array, (index: number) => index % 256],
] as const)('a column gives back what was put into it: %s', (_, type, value) => {
  const column = new Column(type);
  for (let index = 0; index < 20_000; index++) column.push(value(index));
  expect(column.length).toBe(20_000);
  for (let index = 0; index < 20_000; index++)
    if (column.at(index) !== value(index)) expect.unreachable(`at ${index}`);
});
