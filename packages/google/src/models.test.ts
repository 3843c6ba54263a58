import { describe, expect, it } from 'vitest';
import { alwaysThinks, neverThinks, thinksInSignatures } from './models.ts';

describe('models', () => {
  it('tells what a model thinks of thinking', () => {
    const facts = (model: string) => [thinksInSignatures(model), alwaysThinks(model), neverThinks(model)];
    expect(facts('gemini-1.5-flash-latest')).toEqual([false, false, true]);
    expect(facts('gemini-2.0-flash')).toEqual([false, false, true]);
    expect(facts('gemini-2.0-flash-thinking-exp')).toEqual([false, false, false]);
    expect(facts('gemini-2.5-flash-lite')).toEqual([false, false, false]);
    expect(facts('models/gemini-2.5-pro')).toEqual([false, true, false]);
    expect(facts('gemini-3-pro-preview')).toEqual([true, true, false]);
    expect(facts('models/gemini-3.5-flash')).toEqual([true, true, false]);
    expect(facts('gemini-10-flash')).toEqual([true, true, false]);
    expect(facts('gemini-flash-latest')).toEqual([true, true, false]);
    expect(facts('gemma-3-27b-it')).toEqual([false, false, true]);
    expect(facts('tunedModels/mine')).toEqual([false, false, false]);
  });
});
