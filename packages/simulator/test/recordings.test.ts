import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { wireFormats } from '../src/index.ts';

const RECORDINGS = join(import.meta.dirname, '../../../../shared/recordings');

/** Where a format is stricter than its provider is, on purpose. */
const STRICTER = [
  // Documented as required, and some of its models rely on it.
  'A tool message needs the name of its tool.',
  'is too short - messages[2].tool_calls',
];

const here = existsSync(RECORDINGS);

describe.skipIf(!here)(`recorded requests${here ? '' : ' (no recordings in this checkout)'}`, () => {
  test.each(['openai', 'groq', 'openrouter', 'mistral'] as const)(
    '%s: what the provider accepted is accepted',
    (provider) => {
      const refused: string[] = [];
      for (const file of readdirSync(join(RECORDINGS, provider))) {
        const { request, response } = JSON.parse(readFileSync(join(RECORDINGS, provider, file), 'utf8'));
        if (request.body === null || response.status !== 200) continue;
        const bodyText = JSON.stringify(request.body);
        try {
          wireFormats[provider].read({
            method: 'POST',
            path: request.path,
            query: '',
            rawHeaders: [],
            bodyBytes: Buffer.from(bodyText),
            bodyText,
            body: request.body,
          });
        } catch (error) {
          const { message } = error as Error;
          if (!STRICTER.some((rule) => message.includes(rule))) refused.push(`${file}: ${message}`);
        }
      }
      expect(refused).toEqual([]);
    },
  );
});
