import { describe, expect, it } from 'vitest';
import { InlineThinkingStream, splitInlineThinking } from './inline-thinking.ts';

describe('splitInlineThinking', () => {
  it.each([
    ['C082', '<think>\nplan\n</think>\n\nAnswer.', { thinking: 'plan', content: 'Answer.' }],
    ['upper case', '<THINK>plan</Think>Answer.', { thinking: 'plan', content: 'Answer.' }],
    ['two blocks', '<think>a</think>One <think>b</think> two.', { thinking: 'a\nb', content: 'One two.' }],
    ['cut while thinking', '<think>plan and', { thinking: 'plan and', content: '' }],
    ['opened in the template', 'plan</think>\n\nAnswer.', { thinking: 'plan', content: 'Answer.' }],
    ['an empty block', '<think>\n\n</think>\n\nAnswer.', { content: 'Answer.' }],
    ['no block', '  if (a)\n    b();  \n', { content: '  if (a)\n    b();  \n' }],
    [
      'indentation and ends stay',
      '<think>x</think>  def f():\n      return 1  \n\n',
      { thinking: 'x', content: 'def f():\n      return 1  \n\n' },
    ],
    ['a block in the middle', 'Sum:  <think>2+2</think>4', { thinking: '2+2', content: 'Sum:  4' }],
  ])('%s', (_, text, expected) => {
    expect(splitInlineThinking(text)).toEqual(expected);
  });

  it('never leaves a tag in the content', () => {
    for (const text of [
      '</think>a</think>b',
      '<think>a<think>b</think>c',
      'a</think>b<think>',
      '<think></think>',
    ]) {
      expect(splitInlineThinking(text).content).not.toMatch(/<\/?think>/);
    }
  });
});

describe('InlineThinkingStream', () => {
  const fed = (pieces: readonly string[]) => {
    const got = { text: '', thinking: '' };
    const stream = new InlineThinkingStream((kind, text) => {
      got[kind] += text;
    });
    for (const piece of pieces) stream.push(piece);
    stream.end();
    return got;
  };

  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9])('tells text and thinking apart in pieces of %i', (size) => {
    const text = 'a <b <think>pl<an</think> c < d </thin e <think>more';
    const pieces = text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    expect(fed(pieces)).toEqual({ text: 'a <b  c < d </thin e ', thinking: 'pl<anmore' });
  });
});
