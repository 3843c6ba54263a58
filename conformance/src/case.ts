import type { Capabilities } from '@glassloop/core/adapter';
import type { WireFormat } from '@glassloop/simulator';
import type { Bench } from './bench.ts';

/** What a case is about; the part of its id before the dot. */
export type Area =
  | 'text'
  | 'system'
  | 'tools'
  | 'options'
  | 'thinking'
  | 'finish'
  | 'usage'
  | 'streaming'
  | 'errors'
  | 'abort'
  | 'capture'
  | 'purity'
  | 'security'
  | 'trace'
  | 'unicode';

/** What must be true of the adapter (a capability) or of its wire format (`wire …`) for a case to apply. */
export type Ability = keyof Capabilities | `wire ${keyof WireFormat['can']}`;
export type Need = Ability | `no ${Ability}`;

export type Mode = 'whole' | 'streamed';

/** One duty of every adapter. */
export interface Case<Id extends string = string> {
  /** Stable; ids work like paragraph numbers in failure messages, deviations and scorecards. */
  readonly id: Id;
  readonly area: Area;
  /** One line: what is right. */
  readonly title: string;
  /** The fault that somebody's adapter had. */
  readonly why: string;
  readonly needs: readonly Need[];
  readonly mode: Mode;
  /** Watches the process itself, so nothing else may run at the same time. */
  readonly alone: boolean;
  /** Measures memory: runs in a child process where the subject names its module. */
  readonly ownProcess: boolean;
  /** Resolves when the adapter is right, throws an error that says what was wrong. */
  run(bench: Bench): Promise<void>;
}

export interface CaseSpec {
  readonly title: string;
  readonly why: string;
  readonly needs?: readonly Need[];
  readonly alone?: boolean;
  readonly ownProcess?: boolean;
  run(bench: Bench): Promise<void>;
}

/** Cases that ask for the answer in one piece. */
export function whole<const Id extends string>(specs: Readonly<Record<Id, CaseSpec>>): readonly Case<Id>[] {
  return Object.entries<CaseSpec>(specs).map(([id, spec]) => caseOf(id as Id, spec, 'whole'));
}

/** Cases that stream. */
export function streamed<const Id extends string>(
  specs: Readonly<Record<Id, CaseSpec>>,
): readonly Case<Id>[] {
  return Object.entries<CaseSpec>(specs).map(([id, spec]) => caseOf(id as Id, spec, 'streamed'));
}

/** Each case twice: as it is, and streamed under the id `ID.streamed`. */
export function bothModes<const Id extends string>(
  specs: Readonly<Record<Id, CaseSpec>>,
): readonly Case<Id | `${Id}.streamed`>[] {
  return Object.entries<CaseSpec>(specs).flatMap(([id, spec]) => [
    caseOf(id as Id, spec, 'whole'),
    caseOf(`${id as Id}.streamed` as const, { ...spec, title: `${spec.title} (streamed)` }, 'streamed'),
  ]);
}

function caseOf<Id extends string>(id: Id, spec: CaseSpec, mode: Mode): Case<Id> {
  const { title, why, needs = [], ownProcess = false, alone = ownProcess, run } = spec;
  return {
    id,
    area: id.slice(0, id.indexOf('.')) as Area,
    title,
    why,
    needs: mode === 'streamed' ? ['streaming', ...needs] : needs,
    mode,
    alone,
    ownProcess,
    run,
  };
}
