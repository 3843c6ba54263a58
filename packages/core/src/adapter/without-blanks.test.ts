import { expect, it } from 'vitest';
import type { Message } from '../message.ts';
import { given } from './given.ts';
import { textOf, withoutBlanks } from './without-blanks.ts';

const call = { id: 'call00001', name: 'now', argumentsJson: '{}' };

it('withoutBlanks leaves out what providers refuse, and keeps what must be answered', () => {
  const kept: Message[] = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: ' Hi ' },
    { role: 'user', content: [{ type: 'image', data: 'aGk=', mediaType: 'image/png' }] },
    { role: 'assistant', content: '', toolCalls: [call] },
    { role: 'tool', toolCallId: 'call00001', toolName: 'now', content: '', isError: false },
    { role: 'assistant', content: 'Noon.', toolCalls: [] },
  ];
  const blank: Message[] = [
    { role: 'system', content: ' \n' },
    { role: 'user', content: '' },
    { role: 'user', content: [] },
    { role: 'user', content: [{ type: 'text', text: ' ' }] },
    { role: 'assistant', content: '\n', toolCalls: [] },
  ];
  expect(withoutBlanks(kept.flatMap((message, at) => [message, blank[at] ?? message]))).toEqual([
    ...kept.slice(0, 5),
    kept[5],
    kept[5],
  ]);
});

it('withoutBlanks takes blank parts out of a message, and changes nothing that it was given', () => {
  const parts = [
    { type: 'text', text: 'One.' },
    { type: 'text', text: '' },
    { type: 'text', text: 'Two.' },
  ] as const;
  const message: Message = Object.freeze({ role: 'user', content: Object.freeze(parts) });
  const [sent] = withoutBlanks([message]);
  expect(sent).toEqual({ role: 'user', content: [parts[0], parts[2]] });
  expect(textOf(sent!.content)).toBe('One.\nTwo.');
  expect(textOf('as it is')).toBe('as it is');
});

it('given leaves out undefined and null only', () => {
  expect(given({ a: undefined, b: null, c: 0, d: '', e: false })).toEqual({ c: 0, d: '', e: false });
});
