import { type Adapter, AdapterError } from '@glassloop/core';
import {
  ADAPTERS,
  isSecret,
  type KnownAdapter,
  knownAdapter,
  loadAdapter,
  requireAdapter,
} from './adapters.ts';
import type { Context } from './context.ts';
import { startDemoModel } from './demo-model.ts';
import { Problem, usageProblem } from './problem.ts';

export interface AdapterWish {
  /** A known adapter, or DEMO. */
  readonly name: string;
  readonly model: string;
  readonly baseURL?: string | undefined;
  readonly timeoutMs?: number | undefined;
  readonly keyVariable?: string | undefined;
  /** Nothing will be sent, so no key is needed. */
  readonly isDry: boolean;
}

export interface MadeAdapter {
  readonly adapter: Adapter;
  close(): Promise<void>;
}

/** The embedded demo model, as a provider. */
export const DEMO = 'demo';

/** An adapter, made as a run asks for it; a Problem says what is missing. */
export async function makeAdapter(wish: AdapterWish, { env, secrets }: Context): Promise<MadeAdapter> {
  if (wish.name === DEMO) return demoAdapter(wish.model);
  const known = knownAdapter(wish.name);
  const create = await requireAdapter(known);
  const apiKey = wish.keyVariable === undefined ? undefined : env[wish.keyVariable]?.trim();
  if (wish.keyVariable !== undefined && (apiKey ?? '') === '' && !wish.isDry) {
    throw missingKey(wish.keyVariable, known);
  }
  if (apiKey !== undefined && isSecret(apiKey)) secrets.push(apiKey);
  const settings = {
    model: wish.model,
    // Else the adapter reads the variable itself, and knows better to which host that key may go.
    ...(apiKey === undefined || apiKey === '' ? {} : { apiKey }),
    ...(wish.baseURL === undefined ? {} : { baseURL: wish.baseURL }),
    ...(wish.timeoutMs === undefined ? {} : { timeoutMs: wish.timeoutMs }),
  };
  const close = async (): Promise<void> => undefined;
  try {
    return { adapter: create(settings), close };
  } catch (error) {
    if (error instanceof AdapterError && error.code === 'auth') {
      if (wish.isDry) return { adapter: create({ ...settings, apiKey: 'not-needed-for-a-dry-run' }), close };
      throw missingKey(known.keyVariable, known);
    }
    if (error instanceof AdapterError) throw new Problem(1, error.code, error.message, error.hint);
    throw usageProblem(error);
  }
}

/** Through the first adapter that is installed: which one makes no difference to the demo model. */
async function demoAdapter(model: string): Promise<MadeAdapter> {
  for (const known of ADAPTERS) {
    const create = await loadAdapter(known);
    if (create !== undefined) return startDemoModel(known, create, model);
  }
  throw new Problem(
    1,
    'not_installed',
    'No adapter is installed, and the demo model is talked to through one.',
    `Install one beside @glassloop/cli: npm install ${ADAPTERS[0]!.package}`,
  );
}

function missingKey(variable: string, known: KnownAdapter): Problem {
  return new Problem(
    1,
    'auth',
    `${variable} is not set, and ${known.name} needs a key.`,
    `Set it (export ${variable}=…), or run \`glassloop demo\`, which needs no key.`,
  );
}
