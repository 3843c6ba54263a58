import type { Dropped } from './augmentation.ts';
import type { CheckedRun } from './check-run.ts';
import type { Tool, ToolSpec } from './tool.ts';

/** Those of all tools that a run may use, in the order they were registered, and what was kept out. */
export function offeredTools(
  { run, tools }: CheckedRun,
  /** Names that the configured skills restrict the run to; undefined: no restriction. */
  skillTools: readonly string[] | undefined,
): { readonly offered: ReadonlyMap<string, Tool>; readonly dropped: readonly Dropped[] } {
  const dropped: Dropped[] = [];
  const allowed = run.allowedTools ?? undefined;
  for (const id of allowed ?? []) {
    if (!tools.has(id))
      dropped.push({ kind: 'tool', id, reason: 'not_found', detail: `There is no tool "${id}".` });
  }
  const offered = new Map<string, Tool>();
  for (const [id, tool] of tools) {
    if (allowed !== undefined && !allowed.includes(id)) continue;
    if (skillTools !== undefined && !skillTools.includes(id)) {
      dropped.push({
        kind: 'tool',
        id,
        reason: 'not_allowed',
        detail: `The tool "${id}" is in no allowed-tools list of the skills.`,
      });
      continue;
    }
    offered.set(id, tool);
  }
  return { offered, dropped };
}

/** What of the tools a model is shown. */
export function specsOf(offered: ReadonlyMap<string, Tool>): readonly ToolSpec[] {
  return Object.freeze(
    [...offered.values()].map(({ name, description, parameters }) =>
      Object.freeze({ name, description, parameters }),
    ),
  );
}
