import type { Configuration, ProjectConfig } from './config.ts';
import type { ConfigPath, Locate } from './locate.ts';
import { didYouMean, type ProjectProblem, problem } from './problem.ts';

/** Names in the configuration that stand for other parts of it, and do not; and values that hold themselves. */
export function referenceProblems(
  config: ProjectConfig,
  file: string,
  locate: Locate,
): readonly ProjectProblem[] {
  const problems: ProjectProblem[] = [];
  const report = (path: ConfigPath, message: string, whatToDo: string): void => {
    problems.push(problem(file, locate(path), message, whatToDo));
  };
  const named = (path: ConfigPath, what: string, name: string, known: object | undefined): void => {
    const names = Object.keys(known ?? {});
    if (names.includes(name)) return;
    report(
      path,
      `There is no ${what} "${name}".`,
      `${didYouMean(name, names).trim()} There are: ${names.join(', ') || 'none'}.`.trim(),
    );
  };
  if (config.default !== undefined)
    named(['default'], 'configuration', config.default, config.configurations);
  for (const [name, configuration] of Object.entries(config.configurations)) {
    const at = (key: string): ConfigPath => ['configurations', name, key];
    if (configuration.extends !== undefined)
      named(at('extends'), 'configuration', configuration.extends, config.configurations);
    if (configuration.provider !== undefined)
      named(at('provider'), 'provider', configuration.provider, config.providers);
    for (const server of configuration.mcp ?? []) named(at('mcp'), 'MCP server', server, config.mcpServers);
    const chain = extendsChain(config, name);
    if (chain.isCycle) {
      report(
        at('extends'),
        `Configuration "${name}" extends itself: ${chain.names.join(' → ')}.`,
        'Break the circle: remove one of these "extends".',
      );
    } else if (merged(config, name).provider === undefined) {
      report(
        ['configurations', name],
        `Configuration "${name}" has no provider.`,
        'Add provider, or extend a configuration that has one.',
      );
    }
  }
  for (const [name, server] of Object.entries(config.mcpServers ?? {})) {
    if ((server.command === undefined) === (server.url === undefined)) {
      report(
        ['mcpServers', name],
        `MCP server "${name}" must have either command or url.`,
        'Give command for a program to start, url for a server that runs.',
      );
    }
  }
  return problems;
}

function extendsChain(
  config: ProjectConfig,
  name: string,
): { readonly names: readonly string[]; readonly isCycle: boolean } {
  const names = [name];
  for (;;) {
    const next = ownEntry(config.configurations, names.at(-1)!)?.extends;
    if (next === undefined) return { names, isCycle: false };
    const isCycle = names.includes(next);
    names.push(next);
    if (isCycle) return { names, isCycle };
  }
}

/** A configuration with what it takes over from those it extends. */
export function merged(config: ProjectConfig, name: string): Configuration {
  let all: Configuration = {};
  for (const each of extendsChain(config, name).names.toReversed()) {
    const { extends: _, ...own } = ownEntry(config.configurations, each) ?? {};
    const options = { ...all.options, ...own.options };
    const limits = { ...all.limits, ...own.limits };
    all = {
      ...all,
      ...own,
      ...(Object.keys(options).length > 0 ? { options } : {}),
      ...(Object.keys(limits).length > 0 ? { limits } : {}),
    };
  }
  return all;
}

/** The entry of that name, never something inherited such as `constructor`. */
export function ownEntry<T>(record: { readonly [name: string]: T } | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}

/** Where a value holds itself; undefined for a tree. */
export function findCycle(
  value: unknown,
  path: ConfigPath = [],
  above: readonly unknown[] = [],
): ConfigPath | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (above.includes(value)) return path;
  for (const [key, inner] of Object.entries(value)) {
    const found = findCycle(inner, [...path, key], [...above, value]);
    if (found !== undefined) return found;
  }
  return undefined;
}
