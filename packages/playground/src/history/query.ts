import { invalid } from '../http/problem.ts';
import { type FieldProblem, RUN_STATUSES, type RunSummary, type RunsPage } from '../protocol.ts';

const DEFAULT_LIMIT = 50;
const MOST = 200;
const MOST_NAMES = 500;

/** One page of the runs that match; throws 400 for a query that cannot be read. */
export function pageOf(summaries: readonly RunSummary[], query: URLSearchParams): RunsPage {
  const problems: FieldProblem[] = [];
  const limit = Number(query.get('limit') ?? DEFAULT_LIMIT);
  if (!(Number.isInteger(limit) && limit >= 1 && limit <= MOST)) {
    problems.push({ field: 'limit', rule: `A whole number from 1 to ${MOST}.` });
  }
  const [from, to] = ['from', 'to'].map((field) => {
    const text = query.get(field);
    if (text === null || text === '') return undefined;
    const time = Date.parse(text);
    if (Number.isNaN(time)) problems.push({ field, rule: 'A date or a time, such as 2026-03-01.' });
    // A day ends with its last moment.
    return field === 'to' && /^\d{4}-\d{2}-\d{2}$/.test(text) ? time + 86_399_999 : time;
  });
  if (from !== undefined && to !== undefined && from > to)
    problems.push({ field: 'from', rule: 'Not after `to`.' });
  const named = (field: 'status' | 'model' | 'tool') => query.getAll(field).filter(Boolean);
  const [statuses, models, tools] = [named('status'), named('model'), named('tool')];
  if (statuses.some((status) => !(RUN_STATUSES as readonly string[]).includes(status)))
    problems.push({ field: 'status', rule: `One of ${RUN_STATUSES.join(', ')}.` });
  const cursor = cursorOf(query.get('cursor'), problems);
  if (problems.length > 0) throw invalid(problems);

  const words = (query.get('q') ?? '').toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (run: RunSummary) => {
    const started = Date.parse(run.startedAt);
    if (from !== undefined && started < from) return false;
    if (to !== undefined && started > to) return false;
    if (statuses.length > 0 && !statuses.includes(run.status)) return false;
    if (models.length > 0 && !models.includes(run.model ?? '')) return false;
    if (tools.length > 0 && !tools.some((tool) => run.tools.includes(tool))) return false;
    if (words.length === 0) return true;
    const text = [
      run.id,
      run.prompt,
      run.title,
      run.note,
      run.provider,
      run.model,
      run.configuration,
      run.detail,
      ...run.tags,
      ...run.tools,
    ]
      .join(' ')
      .toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const found = summaries.filter(matches);
  const rest = cursor === undefined ? found : found.filter((run) => keyOf(run) < cursor);
  const runs = rest.slice(0, limit);
  const last = runs.at(-1);
  return {
    runs,
    ...(last === undefined || rest.length <= limit
      ? {}
      : { nextCursor: Buffer.from(keyOf(last)).toString('base64url') }),
    total: found.length,
    all: {
      runs: summaries.length,
      bytes: summaries.reduce((sum, run) => sum + (run.kept ? run.bytes : 0), 0),
      models: namesOf(summaries.map((run) => run.model ?? '')),
      tools: namesOf(summaries.flatMap((run) => run.tools)),
    },
  };
}

function namesOf(names: readonly string[]): readonly string[] {
  return [...new Set(names)].filter(Boolean).sort().slice(0, MOST_NAMES);
}

/** Sorts as the list does, so that a page goes on where the one before ended, whatever came in meanwhile. */
function keyOf({ startedAt, id }: RunSummary): string {
  return `${startedAt} ${id}`;
}

function cursorOf(text: string | null, problems: FieldProblem[]): string | undefined {
  if (text === null || text === '') return undefined;
  const key = Buffer.from(text, 'base64url').toString();
  if (!/^\S+ \S+$/.test(key)) problems.push({ field: 'cursor', rule: 'The nextCursor of an earlier page.' });
  return key;
}
