import { type AssembledStep, RunTrace, runLoop } from '@glassloop/core';
import { estimatedTokens } from '../catalog.ts';
import type { PlaygroundContents } from '../options.ts';
import type { AssembleAnswer, RunRequest } from '../protocol.ts';
import { prepareRun } from './prepare.ts';

/** What the first round of such a run would send. Nothing is sent and no tool runs. */
export async function assemble(request: RunRequest, contents: PlaygroundContents): Promise<AssembleAnswer> {
  const { run, model, prices } = await prepareRun({ ...request, dryRun: true }, contents);
  const trace = new RunTrace();
  await runLoop(run, trace);
  const step = trace.steps.find((one) => one.kind === 'assembled') as AssembledStep;
  const { settings, added: messages, sources, dropped, tools, warnings } = step;
  const bytes = Buffer.byteLength(JSON.stringify(messages)) + Buffer.byteLength(JSON.stringify(tools));
  const tokens = estimatedTokens(bytes);
  return {
    settings,
    messages,
    sources,
    dropped,
    tools,
    warnings,
    ...wireOf(run, step),
    estimate: {
      tokens,
      ...(model.contextWindow === undefined ? {} : { contextWindow: model.contextWindow }),
      ...(prices === undefined ? {} : { cost: (tokens * prices.fresh) / 1e6 }),
      ...(prices?.asOf === undefined ? {} : { pricesAsOf: prices.asOf }),
    },
  };
}

type Wire = Pick<AssembleAnswer, 'wire' | 'wireAbsent'>;

function wireOf(
  { adapter, options }: Awaited<ReturnType<typeof prepareRun>>['run'],
  { added: messages, tools }: AssembledStep,
): Wire {
  if (adapter.preview === undefined) {
    return { wireAbsent: `The ${adapter.name} adapter cannot show a request without sending it.` };
  }
  if (messages.length === 0) return { wireAbsent: 'There is no message to send.' };
  try {
    const { body, warnings } = adapter.preview({ messages, tools, options: options?.toCallOptions() ?? {} });
    return { wire: { body, warnings } };
  } catch (error) {
    return { wireAbsent: (error as Error).message };
  }
}
