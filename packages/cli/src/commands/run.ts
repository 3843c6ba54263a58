import { resolve } from 'node:path';
import { type Adapter, AdapterError, type Message, type Tool, ToolOptions } from '@glassloop/core';
import type { Command } from 'commander';
import { isSecret, type KnownAdapter, knownAdapter, requireAdapter } from '../adapters.ts';
import type { Context } from '../context.ts';
import { type Outcome, perform } from '../perform.ts';
import { Problem, usageProblem } from '../problem.ts';
import { plainStyle } from '../render/style.ts';
import { oneLine, printedJson, visible } from '../render/text.ts';
import { resultDocument } from '../result-document.ts';
import type { Folder } from '../tools/folder.ts';
import { BUILT_IN_NAMES, builtInTools } from '../tools/index.ts';
import { TraceFile } from '../trace-file.ts';
import { collect, filled, number, url, wholeNumber } from './flags.ts';

interface RunFlags {
  readonly provider: string;
  readonly model: string;
  readonly system?: string;
  readonly trace?: string;
  readonly captureRaw?: true;
  readonly dryRun?: true;
  readonly json?: true;
  readonly quiet?: true;
  readonly verbose?: true;
  readonly tool?: readonly string[];
  /** false: `--no-tools`. */
  readonly tools: boolean;
  readonly maxRounds?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly thinking?: boolean;
  readonly stream?: boolean;
  readonly timeout?: number;
  readonly retries?: number;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
}

export function addRun(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('run')
    .summary('send a prompt and let the model use tools until it answers')
    .description(
      'Sends a prompt to a model, runs the tools it asks for, and shows every step until it answers.\nThe key is read from the variable of the provider; see `glassloop providers`.',
    )
    .argument('<prompt>', 'what to ask; - reads it from standard input')
    .requiredOption(
      '--provider <name>',
      'whose API: openai, anthropic, google, mistral, ollama, groq, openrouter',
    )
    .requiredOption('--model <id>', 'the model, as its provider calls it', filled)
    .option('--system <text>', 'the system prompt')
    .option('--trace <file>', 'write every step to this file as it is recorded', filled)
    .option('--capture-raw', "ask for the provider's decoded bodies too")
    .option('--dry-run', 'show what would be sent and from where; nothing is sent, no key is needed')
    .option('--json', 'the result as one JSON document on stdout, the steps on stderr')
    .option('--quiet', 'the answer on stdout and nothing else')
    .option('--verbose', 'show messages, thinking, arguments and results with each step')
    .option('--tool <name>', `offer only this tool; may be repeated (${BUILT_IN_NAMES.join(', ')})`, collect)
    .option('--no-tools', 'offer no tools')
    .option('--max-rounds <n>', 'rounds that offer tools (default: 5)', wholeNumber(1, 1000))
    .option('--max-tokens <n>', 'most tokens of one answer', wholeNumber(1))
    .option('--temperature <x>', '0 to 2', number(0, 2))
    .option('--top-p <x>', '0 to 1', number(0, 1))
    .option('--thinking', 'ask for visible reasoning')
    .option('--no-thinking', 'ask for none')
    .option('--stream', 'receive answers in pieces')
    .option('--no-stream', 'receive answers whole (default)')
    .option(
      '--timeout <seconds>',
      'how long one call of the model may take (default: 120)',
      number(0.001, 2_147_483),
    )
    .option(
      '--retries <n>',
      'further attempts after a call that may succeed later (default: 2)',
      wholeNumber(0, 10),
    )
    .option('--base-url <url>', "another host that speaks the provider's API", url)
    .option('--key-variable <name>', 'the variable that holds the key for that host', filled)
    .action(async (prompt: string, flags: RunFlags) => {
      ended(await run(prompt, flags, context));
    });
}

async function run(promptArgument: string, flags: RunFlags, context: Context): Promise<number> {
  const { output } = context;
  if (flags.json && flags.quiet) {
    throw new Problem(2, 'usage', '--json and --quiet exclude each other: both say what goes to stdout.');
  }
  if (flags.json) output.accountTo('stderr');
  if (flags.quiet) output.accountTo('nowhere');
  const known = knownAdapter(flags.provider);
  const tracePath = flags.trace === undefined ? undefined : resolve(context.cwd, flags.trace);
  const tools = chosenTools(flags, { root: context.cwd, except: tracePath });
  const prompt = promptArgument === '-' ? await context.readInput() : promptArgument;
  if (prompt.trim() === '') throw new Problem(2, 'usage', 'The prompt is empty.');

  let file: TraceFile | undefined;
  try {
    const adapter = await adapterFor(known, flags, context);
    if (tracePath !== undefined) {
      file = new TraceFile(tracePath, {
        capturesRaw: flags.captureRaw === true,
        secrets: context.secrets,
      });
    }
    if (file?.replaced)
      output.account([output.style.faint(`${flags.trace} held an earlier trace; it is replaced.`)]);
    output.account([headline(adapter, tools, output.style.strong), '']);
    const options = new ToolOptions(callOptions(flags));
    const outcome = await perform(
      {
        run: {
          adapter,
          messages: [{ role: 'user', content: prompt }],
          tools,
          options,
          ...(flags.system === undefined ? {} : { systemPrompt: flags.system }),
          ...(flags.maxRounds === undefined ? {} : { maxRounds: flags.maxRounds }),
          ...(flags.retries === undefined ? {} : { retry: { maxRetries: flags.retries } }),
          ...(flags.dryRun ? { augmentation: { dryRun: true } } : {}),
        },
        view: {
          style: output.style,
          detail: flags.verbose || flags.dryRun ? 'texts' : 'line',
          // With a trace file the bodies go there; without one this is the only place for them.
          raw: flags.captureRaw === true && file === undefined,
        },
        captureRaw: flags.captureRaw === true,
        stream: flags.stream === true,
        file,
      },
      context,
    );
    return report(outcome, { flags, adapter, options, file }, context);
  } catch (error) {
    if (!flags.json || !(error instanceof Problem) || error.exitCode !== 1) throw error;
    output.result([printedJson({ ok: false, stopReason: 'failed', error: problemDocument(error) })]);
    throw error;
  } finally {
    file?.close();
  }
}

interface Done {
  readonly flags: RunFlags;
  readonly adapter: Adapter;
  readonly options: ToolOptions;
  readonly file: TraceFile | undefined;
}

/** Prints answer and summary; returns the exit code. */
function report(outcome: Outcome, { flags, adapter, options, file }: Done, { output }: Context): number {
  const { result, failure } = outcome;
  const request = flags.dryRun ? requestBody(adapter, outcome, options) : undefined;
  if (flags.json) {
    output.result([
      printedJson({
        ...resultDocument(outcome, adapter),
        ...(request === undefined ? {} : { request }),
        ...(file === undefined ? {} : { trace: file.path }),
      }),
    ]);
  } else if (flags.quiet) {
    output.result(result.content === '' ? [] : [visible(result.content)]);
  } else {
    if (request !== undefined) output.account(['', 'request body', ...printedJson(request).split('\n')]);
    if (result.content !== '') output.account(['', visible(result.content)]);
    output.account(['', ...outcome.endLines]);
    if (file !== undefined && file.failure === undefined) {
      const name = oneLine(flags.trace ?? file.path, 200);
      output.account([`trace    ${name} (to look into it: glassloop inspect ${name})`]);
    }
  }
  if (file?.failure !== undefined) output.error([`glassloop: ${file.failure}`]);
  if (failure !== undefined && !output.accountIsSeen) {
    output.error([
      `glassloop: ${oneLine(failure.message, 500)}`,
      ...(failure.hint === undefined ? [] : [`  ${oneLine(failure.hint, 500)}`]),
    ]);
  }
  if (failure === undefined && flags.dryRun) return 0;
  return failure === undefined && result.content !== '' ? 0 : 1;
}

export function headline(adapter: Adapter, tools: readonly Tool[], strong = plainStyle.strong): string {
  const names = tools.map((tool) => tool.name).join(', ');
  return `${strong('glassloop run')} · ${oneLine(adapter.name)} ${oneLine(adapter.model)} · ${names === '' ? 'no tools' : `tools ${names}`}`;
}

function chosenTools(flags: RunFlags, folder: Folder): readonly Tool[] {
  if (!flags.tools && flags.tool !== undefined) {
    throw new Problem(2, 'usage', '--tool and --no-tools exclude each other.');
  }
  if (!flags.tools) return [];
  for (const name of flags.tool ?? []) {
    if (!BUILT_IN_NAMES.includes(name)) {
      throw new Problem(
        2,
        'usage',
        `There is no tool ${JSON.stringify(name)}.`,
        `The built-in tools are ${BUILT_IN_NAMES.join(', ')}.`,
      );
    }
  }
  return builtInTools(folder).filter((tool) => flags.tool === undefined || flags.tool.includes(tool.name));
}

async function adapterFor(known: KnownAdapter, flags: RunFlags, { env, secrets }: Context): Promise<Adapter> {
  const create = await requireAdapter(known);
  const apiKey = flags.keyVariable === undefined ? undefined : env[flags.keyVariable]?.trim();
  if (flags.keyVariable !== undefined && (apiKey ?? '') === '') {
    throw missingKey(flags.keyVariable, known);
  }
  if (apiKey !== undefined && isSecret(apiKey)) secrets.push(apiKey);
  const settings = {
    model: flags.model,
    // Else the adapter reads the variable itself, and knows better to which host that key may go.
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(flags.baseUrl === undefined ? {} : { baseURL: flags.baseUrl }),
    ...(flags.timeout === undefined ? {} : { timeoutMs: Math.ceil(flags.timeout * 1000) }),
  };
  try {
    return create(settings);
  } catch (error) {
    if (error instanceof AdapterError && error.code === 'auth') {
      if (flags.dryRun) return create({ ...settings, apiKey: 'not-needed-for-a-dry-run' });
      throw missingKey(known.keyVariable, known);
    }
    if (error instanceof AdapterError) throw new Problem(1, error.code, error.message, error.hint);
    throw usageProblem(error);
  }
}

function missingKey(variable: string, known: KnownAdapter): Problem {
  return new Problem(
    1,
    'auth',
    `${variable} is not set, and ${known.name} needs a key.`,
    `Set it (export ${variable}=…), or run \`glassloop demo\`, which needs no key.`,
  );
}

function callOptions(flags: RunFlags): NonNullable<ConstructorParameters<typeof ToolOptions>[0]> {
  return {
    ...(flags.maxTokens === undefined ? {} : { maxTokens: flags.maxTokens }),
    ...(flags.temperature === undefined ? {} : { temperature: flags.temperature }),
    ...(flags.topP === undefined ? {} : { topP: flags.topP }),
    ...(flags.thinking === undefined ? {} : { thinking: flags.thinking }),
  };
}

/** The body that the first round would send, from the adapter itself; undefined where it cannot say. */
function requestBody(adapter: Adapter, outcome: Outcome, options: ToolOptions): unknown {
  const assembled = outcome.steps.find((step) => step.kind === 'assembled');
  if (assembled?.kind !== 'assembled') return undefined;
  const messages: readonly Message[] = outcome.result.messages;
  try {
    return adapter.preview?.({ messages, tools: assembled.tools, options: options.toCallOptions() }).body;
  } catch {
    // Why it cannot be sent is among the warnings of the assembled step.
    return undefined;
  }
}

function problemDocument(problem: Problem): unknown {
  return {
    code: problem.code,
    message: problem.message,
    ...(problem.advice.length === 0 ? {} : { hint: problem.advice.join(' ') }),
  };
}
