import type { McpConnection } from '@glassloop/mcp';
import type { ResolvedRun } from '@glassloop/project';
import { isSecret } from './adapters.ts';
import type { Context } from './context.ts';
import { Problem } from './problem.ts';

/** Connects the MCP servers of a configuration; undefined when it has none. The caller closes. */
export async function connectServers(
  { mcpServers, run }: ResolvedRun,
  { cwd, env, secrets, output, onInterrupt }: Context,
): Promise<McpConnection | undefined> {
  const names = Object.keys(mcpServers);
  if (names.length === 0) return undefined;
  const { connectMcp, variablesIn } = await loadMcp();
  for (const variable of Object.values(mcpServers).flatMap(variablesIn)) {
    const value = env[variable]?.trim() ?? '';
    if (isSecret(value)) secrets.push(value);
  }
  const controller = new AbortController();
  const interrupted = new Problem(1, 'aborted', 'Interrupted while MCP servers were starting.');
  const stopListening = onInterrupt(() => controller.abort(interrupted));
  output.activity(`starting ${names.join(', ')}`);
  try {
    const taken = run.tools.map(({ name }) => name);
    return await connectMcp(mcpServers, { cwd, env, taken, signal: controller.signal });
  } finally {
    output.activity(undefined);
    stopListening();
  }
}

async function loadMcp(): Promise<typeof import('@glassloop/mcp')> {
  try {
    return await import('@glassloop/mcp');
  } catch (error) {
    if ((error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Problem(
      1,
      'not_installed',
      'The configuration has MCP servers, and @glassloop/mcp is not installed.',
      'Install it beside @glassloop/cli: npm install @glassloop/mcp',
    );
  }
}
