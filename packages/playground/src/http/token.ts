import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ProblemError } from './problem.ts';

/** 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 3000;
/** More wrong guesses than this at the same time are refused at once, so that waiting costs the server nothing. */
const MOST_WAITING = 16;

/** Checks the bearer token of a request. */
export class TokenGate {
  readonly #digest: Buffer;
  #failures = 0;
  #waiting = 0;

  constructor(token: string) {
    this.#digest = digest(token);
  }

  /** Resolves for the right token. Rejects with 401, the slower the more wrong ones came in a row. */
  async check(authorization: string | null): Promise<void> {
    const given = /^Bearer ([\x21-\x7e]{1,512})$/i.exec(authorization ?? '')?.[1];
    if (given !== undefined && timingSafeEqual(digest(given), this.#digest)) {
      this.#failures = 0;
      return;
    }
    if (given !== undefined && this.#waiting < MOST_WAITING) {
      this.#waiting++;
      await sleep(Math.min(FIRST_DELAY_MS * 2 ** this.#failures++, LONGEST_DELAY_MS));
      this.#waiting--;
    }
    throw new ProblemError('unauthorized', {
      hint: 'The server printed the address with the token when it started: http://127.0.0.1:PORT/#t=TOKEN',
    });
  }
}

/** Of one length whatever came, so that a comparison tells nothing about the token. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
