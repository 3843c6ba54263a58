import { shownKeys } from './check-shape.ts';
import type { ProjectConfig } from './config.ts';
import type { ConfigPath, Locate } from './locate.ts';
import { type ProjectProblem, problem } from './problem.ts';

/** Forms of keys of providers and common services. */
const KEY =
  /(?<![A-Za-z0-9])(sk-[A-Za-z0-9_-]{16,}|sk_[a-z]+_[A-Za-z0-9]{16,}|gsk_[A-Za-z0-9]{16,}|xai-[A-Za-z0-9]{16,}|AIza[A-Za-z0-9_-]{30,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]+)/;

const SECRET_NAME = /authorization|cookie|token|secret|password|credential|api[_-]?key|(^|[_-])key$/i;
// biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a server names a variable.
const PLACEHOLDER = '"${NAME}"';
const VARIABLE = /\$\{[A-Za-z_][A-Za-z0-9_]*\}/;

/** Everything in a configuration that is, or would be, a key in plain text. No message repeats the value. */
export function keyProblems(config: ProjectConfig, file: string, locate: Locate): readonly ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const report = (path: ConfigPath, message: string, whatToDo: string): void => {
    problems.push(problem(file, locate(path), `${shownKeys(path)} ${message}`, whatToDo));
  };
  walk(config, [], (path, value) => {
    if (path.at(-1) === 'keyVariable') {
      if (KEY.test(value)) report(path, ...KEY_HERE);
    } else if (KEY.test(value)) report(path, ...KEY_HERE);
    else if (/^https?:/i.test(value) && hasKey(value)) {
      report(
        path,
        'has a key or password in its URL.',
        'Take it out; name a variable with keyVariable or in headers.',
      );
    } else if (path[0] === 'mcpServers' && (path[2] === 'headers' || path[2] === 'env')) {
      if (SECRET_NAME.test(String(path[3])) && value !== '' && !VARIABLE.test(value)) {
        report(
          path,
          'looks like a secret in plain text.',
          `Name its environment variable instead: ${PLACEHOLDER}.`,
        );
      }
    }
  });
  return problems;
}

const KEY_HERE = [
  'looks like a key; a key never stands in this file.',
  `Put it into an environment variable and name that: keyVariable: "OPENAI_API_KEY", or ${PLACEHOLDER} for an MCP server. Then make a new key: this one has been in a file.`,
] as const;

function hasKey(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const inQuery = [...url.searchParams].some(
    ([name, value]) => SECRET_NAME.test(name) && value !== '' && !VARIABLE.test(value),
  );
  return url.password !== '' || url.username !== '' || inQuery;
}

/** Calls `visit` for every text in the value, names of fields included. A value within itself is visited once. */
function walk(
  value: unknown,
  path: ConfigPath,
  visit: (path: ConfigPath, text: string) => void,
  seen = new Set<unknown>(),
): void {
  if (typeof value === 'string') visit(path, value);
  if (typeof value !== 'object' || value === null || seen.has(value)) return;
  seen.add(value);
  for (const [key, inner] of Object.entries(value)) {
    walk(inner, [...path, Array.isArray(value) ? Number(key) : key], visit, seen);
  }
}
