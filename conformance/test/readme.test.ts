import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { withCases } from '../scripts/readme-cases.ts';

const FILE = fileURLToPath(new URL('../README.md', import.meta.url));

// UPDATE_README=1 puts the list in anew; the sources are TypeScript, so a test runner is what can read them.
test('the list of cases in README.md is the one in the code', () => {
  const readme = readFileSync(FILE, 'utf8');
  const updated = withCases(readme);
  if (process.env['UPDATE_README'] === '1') writeFileSync(FILE, updated);
  else expect(readme, 'run: UPDATE_README=1 npx vitest run conformance/test/readme.test.ts').toBe(updated);
});
