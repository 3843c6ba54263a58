import type { Adapter } from '@glassloop/core/adapter';
import type { WireFormat } from '@glassloop/simulator';
import type { Ability, Need } from './case.ts';

/** What the suite sets; everything else is the author's choice. */
export interface SubjectSettings {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch?: typeof fetch;
  readonly timeoutMs?: number;
}

/** An adapter under test. */
export interface Subject {
  /** The dialect its provider speaks; the suite plays the provider in it. */
  readonly wire: WireFormat;
  /** Makes a new adapter; the suite hands it everything it sets, so spread it: `create: (settings) => acme({ model: 'm', ...settings })`. */
  create(settings: SubjectSettings): Adapter;
  /**
   * `import.meta.url` of a file that exports this very object as default (`#NAME` behind it: under that name) and
   * registers no tests. A child process loads it to measure memory there; without it, this process is measured.
   */
  readonly module?: string | URL;
}

/** The first need that is not met, as a sentence; undefined when all are. */
export function unmetNeed(
  needs: readonly Need[],
  capabilities: Adapter['capabilities'],
  wire: WireFormat,
): string | undefined {
  for (const need of needs) {
    const wanted = !need.startsWith('no ');
    const ability = (wanted ? need : need.slice(3)) as Ability;
    const onWire = ability.startsWith('wire ');
    const name = onWire ? ability.slice(5) : ability;
    const answer = onWire
      ? wire.can[name as keyof WireFormat['can']]
      : capabilities[name as keyof Adapter['capabilities']];
    if (answer === wanted) continue;
    if (answer === undefined) return `the adapter does not declare ${name}`;
    if (onWire) return `the wire format ${wire.name} has ${wanted ? 'no' : 'a place for'} ${name}`;
    return `the adapter declares ${name}: ${answer}`;
  }
  return undefined;
}
