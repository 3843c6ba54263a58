import { defineTool, ToolError } from '@glassloop/core';
import { textArgument } from './argument.ts';

const LONGEST = 500;
const DEEPEST = 50;

const FUNCTIONS: { readonly [name: string]: (...values: number[]) => number } = {
  sqrt: Math.sqrt,
  abs: Math.abs,
  round: Math.round,
  floor: Math.floor,
  ceil: Math.ceil,
  min: Math.min,
  max: Math.max,
};
const CONSTANTS: { readonly [name: string]: number } = { pi: Math.PI, e: Math.E };

export const calculate = defineTool({
  name: 'calculate',
  effect: 'reads',
  description:
    'Evaluates an arithmetic expression and returns the number. Knows + - * / % ^, parentheses, sqrt, abs, round, floor, ceil, min, max, pi and e.',
  input: {
    type: 'object',
    properties: { expression: { type: 'string', description: 'For example (2 + 3) * 4.5' } },
    required: ['expression'],
  },
  execute: (input) => evaluate(textArgument(input, 'expression')),
});

/** The value as text, without the noise of binary fractions. Throws a ToolError that says where the expression is wrong. */
export function evaluate(expression: string): string {
  if (expression.length > LONGEST)
    throw new ToolError(`The expression is longer than ${LONGEST} characters.`);
  const value = new Parser(expression).whole();
  if (Number.isNaN(value)) throw new ToolError('The result is not a number.');
  if (!Number.isFinite(value))
    throw new ToolError('The result is infinite: a division by zero, or too large.');
  const rounded = Number(value.toPrecision(15));
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? `${rounded} (about: beyond ${Number.MAX_SAFE_INTEGER} only 15 digits are exact)`
    : String(Object.is(rounded, -0) ? 0 : rounded);
}

/** Recursive descent: sum > product > sign > power > atom. */
class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): number {
    const value = this.#sum();
    if (this.#peek() !== '') this.#fail();
    return value;
  }

  #sum(): number {
    if (++this.#depth > DEEPEST) throw new ToolError(`The expression is nested more than ${DEEPEST} deep.`);
    let value = this.#product();
    for (;;) {
      if (this.#take('+')) value += this.#product();
      else if (this.#take('-', '−', '–')) value -= this.#product();
      else break;
    }
    this.#depth--;
    return value;
  }

  #product(): number {
    let value = this.#sign();
    for (;;) {
      if (this.#take('*', '×', '·')) value *= this.#sign();
      else if (this.#take('/', '÷')) value /= this.#sign();
      else if (this.#take('%')) value %= this.#sign();
      else return value;
    }
  }

  /** A sign binds weaker than a power: -2^2 is -4. */
  #sign(): number {
    let negative = false;
    for (;;) {
      if (this.#take('-', '−', '–')) negative = !negative;
      else if (!this.#take('+')) break;
    }
    const value = this.#power();
    return negative ? -value : value;
  }

  #power(): number {
    const base = this.#atom();
    if (!this.#take('**', '^')) return base;
    if (++this.#depth > DEEPEST) throw new ToolError(`The expression is nested more than ${DEEPEST} deep.`);
    const exponent = this.#sign();
    this.#depth--;
    return base ** exponent;
  }

  #atom(): number {
    if (this.#take('(')) {
      const value = this.#sum();
      this.#need(')');
      return value;
    }
    const number = /^(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/i.exec(this.#rest());
    if (number !== null) {
      this.#at += number[0].length;
      return Number(number[0]);
    }
    const word = /^[a-z]+/i.exec(this.#rest())?.[0];
    if (word === undefined) this.#fail();
    const name = word.toLowerCase();
    if (Object.hasOwn(CONSTANTS, name)) {
      this.#at += word.length;
      return CONSTANTS[name]!;
    }
    if (!Object.hasOwn(FUNCTIONS, name)) this.#fail();
    this.#at += word.length;
    this.#need('(');
    const values = [this.#sum()];
    while (this.#take(',')) values.push(this.#sum());
    this.#need(')');
    return FUNCTIONS[name]!(...values);
  }

  #rest(): string {
    this.#at += /^\s*/.exec(this.#text.slice(this.#at))![0].length;
    return this.#text.slice(this.#at);
  }

  #peek(): string {
    return this.#rest().slice(0, 1);
  }

  #take(...symbols: string[]): boolean {
    const rest = this.#rest();
    const symbol = symbols.find((candidate) => rest.startsWith(candidate));
    // 2**3 is a power, not a product of 2 and *3.
    if (symbol === undefined || (symbol === '*' && rest.startsWith('**'))) return false;
    this.#at += symbol.length;
    return true;
  }

  #need(symbol: string): void {
    if (!this.#take(symbol)) this.#fail(`"${symbol}"`);
  }

  #fail(expected = 'a number, an operator or a function'): never {
    const found = this.#peek() === '' ? 'the expression ends' : `${JSON.stringify(this.#peek())} stands`;
    throw new ToolError(`Expected ${expected}, but ${found} at character ${this.#at + 1}.`);
  }
}
