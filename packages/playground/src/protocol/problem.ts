/** What the server answers instead. */

/* Errors: application/problem+json */

export type ProblemCode =
  | 'misdirected'
  | 'forbidden_origin'
  | 'unauthorized'
  | 'not_found'
  | 'method_not_allowed'
  | 'unsupported_media_type'
  | 'too_large'
  | 'bad_json'
  | 'invalid_request'
  | 'provider_not_ready'
  | 'effects_not_allowed'
  | 'too_many_running'
  | 'idempotency_conflict'
  | 'run_is_running'
  | 'pruned'
  | 'not_captured'
  | 'invalid_trace'
  | 'unavailable'
  | 'internal';

export interface Problem {
  readonly type: 'about:blank';
  readonly title: string;
  readonly status: number;
  readonly code: ProblemCode;
  readonly detail?: string;
  /** One sentence that says what to do. */
  readonly hint?: string;
  readonly requestId: string;
  /** Of the request body; shown at the field. */
  readonly fields?: readonly FieldProblem[];
  /** Of an import. */
  readonly line?: number;
}

export interface FieldProblem {
  /** Such as `options.temperature` or `tools[2]`. */
  readonly field: string;
  /** What the value must be. */
  readonly rule: string;
  readonly fix?: string;
}
