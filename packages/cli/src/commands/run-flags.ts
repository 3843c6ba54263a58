import type { ToolOptionValues } from '@glassloop/core';
import type { Command } from 'commander';
import { BUILT_IN_NAMES } from '../tools/index.ts';
import { collect, filled, number, url, wholeNumber } from './flags.ts';

/** The flags that say what a run is: those of `run` and `assemble`. */
export interface RunFlags {
  readonly configuration?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly system?: string;
  readonly skill?: readonly string[];
  readonly snippet?: readonly string[];
  readonly tool?: readonly string[];
  /** false: `--no-tools`. */
  readonly tools: boolean;
  readonly maxRounds?: number;
  readonly maxTokens?: number;
  readonly temperature?: number;
  readonly topP?: number;
  readonly thinking?: boolean;
  readonly timeout?: number;
  readonly retries?: number;
  readonly baseUrl?: string;
  readonly keyVariable?: string;
}

export function addRunFlags(command: Command): Command {
  return command
    .option('-c, --configuration <name>', "a configuration of the project's file", filled)
    .option(
      '--provider <name>',
      'whose API: openai, anthropic, google, mistral, ollama, groq, openrouter, demo, or a provider of the project',
      filled,
    )
    .option('--model <id>', 'the model, as its provider calls it', filled)
    .option('--system <text>', 'the system prompt; replaces that of the configuration')
    .option('--skill <id>', 'add this skill of the project; may be repeated', collect)
    .option('--snippet <id>', 'add this snippet of the project; may be repeated', collect)
    .option(
      '--tool <name>',
      `offer only this tool; may be repeated (built in: ${BUILT_IN_NAMES.join(', ')})`,
      collect,
    )
    .option('--no-tools', 'offer no tools')
    .option('--max-rounds <n>', 'rounds that offer tools (default: 5)', wholeNumber(1, 1000))
    .option('--max-tokens <n>', 'most tokens of one answer', wholeNumber(1))
    .option('--temperature <x>', '0 to 2', number(0, 2))
    .option('--top-p <x>', '0 to 1', number(0, 1))
    .option('--thinking', 'ask for visible reasoning')
    .option('--no-thinking', 'ask for none')
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
    .option('--key-variable <name>', 'the variable that holds the key for that host', filled);
}

export function callOptions(flags: RunFlags): ToolOptionValues {
  return {
    ...(flags.maxTokens === undefined ? {} : { maxTokens: flags.maxTokens }),
    ...(flags.temperature === undefined ? {} : { temperature: flags.temperature }),
    ...(flags.topP === undefined ? {} : { topP: flags.topP }),
    ...(flags.thinking === undefined ? {} : { thinking: flags.thinking }),
  };
}
