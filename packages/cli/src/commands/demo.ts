import { resolve } from 'node:path';
import { type Message, type Run, runLoop } from '@glassloop/core';
import type { Command } from 'commander';
import {
  ADAPTERS,
  type AdapterFactory,
  type KnownAdapter,
  knownAdapter,
  loadAdapter,
  requireAdapter,
} from '../adapters.ts';
import type { Context } from '../context.ts';
import { startDemoModel } from '../demo-model.ts';
import { perform } from '../perform.ts';
import { messageOf, Problem } from '../problem.ts';
import { counted, formatDuration, oneLine, visible } from '../render/text.ts';
import { known } from '../render/usage.ts';
import type { Folder } from '../tools/folder.ts';
import { builtInTools } from '../tools/index.ts';
import { TraceFile } from '../trace-file.ts';
import { filled } from './flags.ts';

const PROMPT =
  'Read the largest file in this folder and tell me what it is about. What is 17% of 4230? What time is it in Tokyo?';
const SYSTEM = 'Answer in plain words. Use the tools for whatever you cannot know.';
const TRACE = 'glassloop-demo.ndjson';

interface DemoFlags {
  readonly provider?: string;
  readonly trace?: string;
}

export function addDemo(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('demo')
    .summary('watch a traced run, without a key')
    .description(
      'Runs a real tool loop, over HTTP and through the official SDKs, against a small rule-based model on this machine.\nNeeds no key, and nothing leaves the machine.',
    )
    .argument('[prompt]', 'what to ask the demo model', filled, PROMPT)
    .option('--provider <name>', 'show the run through this adapter; all: a line for each')
    .option('--trace <file>', `the trace file (default: ${TRACE})`, filled)
    .action(async (prompt: string, flags: DemoFlags) => {
      ended(await demo(prompt, flags, context));
    });
}

async function demo(prompt: string, flags: DemoFlags, context: Context): Promise<number> {
  const installed = new Map<KnownAdapter, AdapterFactory>();
  for (const adapter of ADAPTERS) {
    const create = await loadAdapter(adapter);
    if (create !== undefined) installed.set(adapter, create);
  }
  if (flags.provider === 'all') return overview(prompt, ADAPTERS, installed, undefined, flags, context);
  const shown = flags.provider === undefined ? [...installed.keys()][0] : knownAdapter(flags.provider);
  const create = await requireAdapter(shown ?? ADAPTERS[0]!);
  const full = await glassBox(prompt, shown!, create, flags, context);
  if (flags.provider !== undefined || full.exitCode !== 0) return full.exitCode;
  const others = ADAPTERS.filter((adapter) => adapter !== shown);
  context.output.account(['', 'The same run through the other wire formats:', '']);
  return overview(prompt, others, installed, full.messages, flags, context);
}

/** One run with everything shown and a trace written. */
async function glassBox(
  prompt: string,
  adapter: KnownAdapter,
  create: AdapterFactory,
  flags: DemoFlags,
  context: Context,
): Promise<{ readonly exitCode: number; readonly messages: readonly Message[] }> {
  const { output } = context;
  const file = openTrace(flags, context);
  try {
    return await withDemoModel(adapter, create, async (made, origin) => {
      output.account([
        `${output.style.strong('glassloop demo')} · the ${adapter.name} adapter and its SDK, talking to a rule-based model at ${origin}`,
        '',
      ]);
      const outcome = await perform(
        {
          run: demoRun(made, prompt, { root: context.cwd, except: file?.path }),
          view: { style: output.style, detail: 'texts' },
          captureRaw: true,
          stream: false,
          file,
        },
        context,
      );
      const { content } = outcome.result;
      output.account([...(content === '' ? [] : ['', visible(content)]), '', ...outcome.endLines]);
      if (file?.failure !== undefined) output.error([`glassloop: ${file.failure}`]);
      else if (file !== undefined) {
        const name = oneLine(flags.trace ?? TRACE, 200);
        output.account([`trace    ${name}`, `         to look into it: glassloop inspect ${name} --raw`]);
      }
      const failed = outcome.failure !== undefined || content === '';
      if (outcome.failure !== undefined && !output.accountIsSeen) {
        output.error([`glassloop: ${oneLine(outcome.failure.message, 500)}`]);
      }
      return { exitCode: failed ? 1 : 0, messages: outcome.result.messages };
    });
  } finally {
    file?.close();
  }
}

/** A folder that cannot be written to must not keep anyone from seeing the demo; a file that was named must be written. */
function openTrace(flags: DemoFlags, { cwd, secrets, output }: Context): TraceFile | undefined {
  try {
    return new TraceFile(resolve(cwd, flags.trace ?? TRACE), { capturesRaw: true, secrets });
  } catch (error) {
    if (flags.trace !== undefined || !(error instanceof Problem)) throw error;
    output.error([`glassloop: ${oneLine(error.message, 300)} The demo runs without a trace file.`]);
    return undefined;
  }
}

/** The same run through each adapter, a line each. */
async function overview(
  prompt: string,
  adapters: readonly KnownAdapter[],
  installed: ReadonlyMap<KnownAdapter, AdapterFactory>,
  first: readonly Message[] | undefined,
  flags: DemoFlags,
  context: Context,
): Promise<number> {
  const { output } = context;
  const { style } = output;
  let exitCode = 0;
  let calls = first === undefined ? undefined : callsOf(first);
  let answer: string | undefined;
  // The trace of the run before is no part of the folder that all runs are asked about.
  const except = resolve(context.cwd, flags.trace ?? TRACE);
  for (const adapter of adapters) {
    const create = installed.get(adapter);
    const name = style.strong(adapter.name.padEnd(11));
    if (create === undefined) {
      output.account([`${name} not installed: npm install ${adapter.package}`]);
      continue;
    }
    output.activity(`running through ${adapter.name}`);
    const controller = new AbortController();
    const stopListening = context.onInterrupt(() => controller.abort());
    const startedAt = performance.now();
    try {
      const result = await withDemoModel(adapter, create, (made) =>
        runLoop({ ...demoRun(made, prompt, { root: context.cwd, except }), signal: controller.signal }),
      );
      const made = callsOf(result.messages);
      calls ??= made;
      answer ??= result.content;
      const same =
        made.join() === calls.join()
          ? 'the same calls'
          : style.warn(`other calls: ${oneLine(made.join(' '), 200)}`);
      output.activity(undefined);
      output.account([
        `${name} ${counted(result.rounds, 'round')} · ${counted(made.length, 'tool call')} · ${known(result.usage.totalTokens)} tokens · ${formatDuration(performance.now() - startedAt)} · ${result.stopReason} · ${same}`,
      ]);
      if (result.content === '') exitCode = 1;
    } catch (error) {
      exitCode = 1;
      output.activity(undefined);
      output.account([`${name} ${style.bad('failed')}: ${oneLine(messageOf(error), 300)}`]);
      if (controller.signal.aborted) return 1;
    } finally {
      stopListening();
    }
  }
  if (first === undefined && answer !== undefined) output.account(['', visible(answer)]);
  return exitCode;
}

/** What was called, in order, without the ids that differ from provider to provider. */
function callsOf(messages: readonly Message[]): string[] {
  return messages.flatMap((message) =>
    message.role === 'assistant'
      ? message.toolCalls.map(
          ({ name, argumentsJson }) => `${name} ${JSON.stringify(JSON.parse(argumentsJson))}`,
        )
      : [],
  );
}

function demoRun(adapter: Run['adapter'], prompt: string, folder: Folder): Run {
  return {
    adapter,
    systemPrompt: SYSTEM,
    messages: [{ role: 'user', content: prompt }],
    tools: builtInTools(folder),
    // It costs nothing, and that is known.
    prices: { fresh: 0, output: 0 },
  };
}

async function withDemoModel<T>(
  known: KnownAdapter,
  create: AdapterFactory,
  use: (adapter: Run['adapter'], origin: string) => Promise<T>,
): Promise<T> {
  const demo = await startDemoModel(known, create);
  try {
    return await use(demo.adapter, demo.origin);
  } finally {
    await demo.close();
  }
}
