import { expect, it } from 'vitest';
import { traitsOf } from './claude-model.ts';

it.each([
  ['claude-2.1', 'none', 'default', true],
  ['claude-3-haiku-20240307', 'none', 'default', true],
  ['claude-3-5-sonnet-20240620', 'none', 'default', true],
  ['claude-3-7-sonnet-latest', 'budget', 'default', true],
  ['claude-sonnet-4-0', 'budget', 'default', true],
  ['claude-opus-4-20250514', 'budget', 'default', true],
  ['anthropic.claude-haiku-4-5-20251001-v1:0', 'budget', 'default', true],
  ['claude-sonnet-4-6', 'adaptive', 'default', true],
  ['claude-opus-4.8', 'adaptive', 'default', false],
  ['claude-sonnet-5', 'adaptive', 'disabled', false],
  ['claude-opus-5', 'adaptive', 'disabled', false],
  ['claude-opus-5-5', 'adaptive', 'impossible', false],
  ['claude-fable-5-1', 'adaptive', 'impossible', false],
  ['claude-mythos-preview', 'adaptive', 'impossible', false],
  ['gateway-model', 'budget', 'disabled', true],
])('%s: %s, %s, sampling %s', (model, thinking, withoutThinking, sampling) => {
  expect(traitsOf(model)).toEqual({ thinking, withoutThinking, sampling });
});
