import type { Capabilities } from '@glassloop/core';
import type { Command } from 'commander';
import { ADAPTERS, type KnownAdapter, keyIsSet, loadAdapter } from '../adapters.ts';
import type { Context } from '../context.ts';
import { printedJson } from '../render/text.ts';

interface ProviderFacts {
  readonly name: string;
  readonly package: string;
  readonly installed: boolean;
  readonly keyVariable: string;
  readonly needsKey: boolean;
  readonly keySet: boolean;
  readonly baseURL: string;
  /** null: not installed, so not known. */
  readonly capabilities: Capabilities | null;
}

export function addProviders(program: Command, context: Context): void {
  program
    .command('providers')
    .summary('list the adapters, their keys and what they can do')
    .description('Lists the seven adapters: installed or not, the variable of the key, what each can do.')
    .option('--json', 'as one JSON document')
    .action(async (flags: { readonly json?: true }) => {
      const facts = await Promise.all(ADAPTERS.map((known) => factsOf(known, context)));
      context.output.result(flags.json ? [printedJson(facts)] : providerLines(facts, context));
    });
}

async function factsOf(known: KnownAdapter, { env }: Context): Promise<ProviderFacts> {
  const create = await loadAdapter(known);
  return {
    name: known.name,
    package: known.package,
    installed: create !== undefined,
    keyVariable: known.keyVariable,
    needsKey: known.needsKey,
    keySet: keyIsSet(known, env),
    baseURL: known.baseURL,
    // What an adapter can do does not depend on key or model, so any will do to ask.
    capabilities: create === undefined ? null : create({ model: 'any', apiKey: 'none' }).capabilities,
  };
}

function providerLines(facts: readonly ProviderFacts[], { output }: Context): string[] {
  const { style } = output;
  return facts.flatMap((provider) => {
    const key = provider.keySet
      ? `${provider.keyVariable} ${style.good('is set')}`
      : provider.needsKey
        ? `${provider.keyVariable} ${style.warn('is not set')}`
        : `${provider.keyVariable} is not set, and not needed for a server of one's own`;
    const state = provider.installed
      ? style.good('installed')
      : `${style.warn('not installed')}: npm install ${provider.package}`;
    return [
      `${style.strong(provider.name.padEnd(11))} ${state} · ${key}`,
      ...(provider.capabilities === null
        ? []
        : [`${' '.repeat(12)}${capabilitiesInWords(provider.capabilities)}`]),
      `${' '.repeat(12)}${style.faint(`base URL: ${provider.baseURL}`)}`,
    ];
  });
}

const WORDS: { readonly [capability in keyof Capabilities]: string } = {
  streaming: 'streaming',
  parallelToolCalls: 'parallel calls',
  requiredToolChoice: 'required tool choice',
  thinking: 'thinking',
  images: 'images',
  cost: 'cost',
};

function capabilitiesInWords(capabilities: Capabilities): string {
  const names = Object.keys(WORDS) as (keyof Capabilities)[];
  const can = names.filter((name) => capabilities[name]).map((name) => WORDS[name]);
  const cannot = names.filter((name) => !capabilities[name]).map((name) => WORDS[name]);
  return `${can.join(', ')}${cannot.length === 0 ? '' : `; no ${cannot.join(', no ')}`}`;
}
