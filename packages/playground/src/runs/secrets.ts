import { blackOut } from '@glassloop/core/adapter';

/** A shorter value, such as `test`, is a placeholder, and blacking it out would spoil ordinary words. */
const SHORTEST = 8;

/** Texts that must appear in no answer and no file, also in the forms that JSON and URLs give them. */
export class Secrets {
  readonly #list: () => readonly string[];
  #key = '';
  #made: readonly string[] = [];

  constructor(secrets: readonly string[] | (() => readonly string[]) = []) {
    this.#list = typeof secrets === 'function' ? secrets : () => secrets;
  }

  list(): readonly string[] {
    return this.#list().filter((secret) => secret.length >= SHORTEST);
  }

  /** Made anew only when the list is another: this is asked for with every line. */
  #forms(): readonly string[] {
    const list = this.list();
    const key = list.join('\0');
    if (key !== this.#key) {
      const forms = list.flatMap((secret) => [
        secret,
        JSON.stringify(secret).slice(1, -1),
        encodeURIComponent(secret),
      ]);
      // The longest first, or a secret that holds another would be found no more.
      this.#made = [...new Set(forms)].sort((a, b) => b.length - a.length);
      this.#key = key;
    }
    return this.#made;
  }

  clean(text: string): string {
    return blackOut(text, this.#forms());
  }

  /** How much of a growing text may be shown already: all but an end that could become a secret. */
  safeLength(text: string): number {
    let safe = text.length;
    for (const secret of this.#forms()) {
      for (let length = Math.min(secret.length - 1, text.length); length > 0; length--) {
        if (text.endsWith(secret.slice(0, length))) {
          safe = Math.min(safe, text.length - length);
          break;
        }
      }
    }
    return safe;
  }
}
