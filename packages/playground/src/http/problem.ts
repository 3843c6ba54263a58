import type { FieldProblem, Problem, ProblemCode } from '../protocol.ts';

const TITLES: { readonly [code in ProblemCode]: readonly [status: number, title: string] } = {
  misdirected: [421, 'This server does not answer for that host.'],
  forbidden_origin: [403, 'The request came from another web page.'],
  unauthorized: [401, 'The token is missing or wrong.'],
  not_found: [404, 'There is no such thing here.'],
  method_not_allowed: [405, 'That method is not for this path.'],
  unsupported_media_type: [415, 'The body is of the wrong type.'],
  too_large: [413, 'The body is too large.'],
  bad_json: [400, 'The body is no JSON.'],
  invalid_request: [400, 'Some fields cannot be used.'],
  provider_not_ready: [409, 'The provider is not ready.'],
  effects_not_allowed: [409, 'A chosen tool changes things, and nobody confirmed that.'],
  too_many_running: [429, 'Too many runs are going on.'],
  idempotency_conflict: [409, 'That Idempotency-Key was used for another request.'],
  run_is_running: [409, 'The run is still going on.'],
  pruned: [410, 'The run was deleted.'],
  not_captured: [422, 'The run was not recorded with raw capture.'],
  invalid_trace: [422, 'The file is no trace that can be read.'],
  unavailable: [503, 'That is not available here.'],
  internal: [500, 'Something went wrong in the server.'],
};

export interface ProblemFacts {
  readonly detail?: string;
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly fields?: readonly FieldProblem[];
  readonly line?: number;
}

/** Thrown anywhere below a route; becomes an application/problem+json answer. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly facts: ProblemFacts;

  constructor(code: ProblemCode, facts: ProblemFacts = {}) {
    super(facts.detail ?? TITLES[code][1]);
    this.name = 'ProblemError';
    this.code = code;
    this.facts = facts;
  }

  get status(): number {
    return TITLES[this.code][0];
  }

  toProblem(requestId: string): Problem {
    const [status, title] = TITLES[this.code];
    return { type: 'about:blank', title, status, code: this.code, ...this.facts, requestId };
  }
}

export function invalid(fields: readonly FieldProblem[]): ProblemError {
  const detail = fields.map(({ field, rule }) => `${field}: ${rule}`).join(' ');
  return new ProblemError('invalid_request', { detail, fields });
}
