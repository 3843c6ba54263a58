import { dirname } from 'node:path';

/** How a Model Context Protocol server is reached, and how much of it is used. Exactly one of `command` and `url`. */
export interface McpServer {
  /** What to start; it speaks over its standard input and output. */
  readonly command?: string;
  readonly args?: readonly string[];
  /** Variables beside the few that every program needs; `${NAME}` is replaced from the environment. */
  readonly env?: { readonly [name: string]: string };
  /** Its folder. Default: the `cwd` of McpOptions. */
  readonly cwd?: string;
  /** Where it answers over streamable HTTP. */
  readonly url?: string;
  /** Sent with every request; `${NAME}` is replaced from the environment. */
  readonly headers?: { readonly [name: string]: string };
  /** Only these of its tools, by its own names. Default: all. */
  readonly tools?: readonly string[];
  /** Calls in all, until the connection is closed. Default 20. */
  readonly maxCalls?: number;
  /** Milliseconds one call may take. Default 60,000. */
  readonly timeoutMs?: number;
  /** Milliseconds until it must have named its tools. Default 30,000. */
  readonly startupMs?: number;
}

export type Environment = { readonly [name: string]: string | undefined };

/** Names of the environment variables that `env` and `headers` of a server ask for. */
export function variablesIn({ env = {}, headers = {} }: McpServer): readonly string[] {
  const values = [...Object.values(env), ...Object.values(headers)];
  return [...new Set(values.flatMap((value) => [...value.matchAll(VARIABLE)].map(([, name]) => name!)))];
}

/** The values with every `${NAME}` replaced. Throws for a variable that is not set: half a header helps nobody. */
export function filledIn(
  values: { readonly [name: string]: string },
  environment: Environment,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replace(VARIABLE, (_, name: string) => {
        const found = environment[name];
        if (found === undefined || found === '') {
          throw new UnusableServer(`the environment variable ${name} is not set`);
        }
        return found;
      }),
    ]),
  );
}

const VARIABLE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** Why a server is left out, as the end of a sentence. */
export class UnusableServer extends Error {
  override readonly name = 'UnusableServer';
}

/** The few variables that programs need to run at all; everything else, keys above all, is passed on only by name. */
export function basicEnvironment(environment: Environment): Record<string, string> {
  const names =
    process.platform === 'win32'
      ? [
          'APPDATA',
          'COMSPEC',
          'HOMEDRIVE',
          'HOMEPATH',
          'LOCALAPPDATA',
          'PATH',
          'PATHEXT',
          'PROGRAMFILES',
          'SYSTEMDRIVE',
          'SYSTEMROOT',
          'TEMP',
          'USERNAME',
          'USERPROFILE',
        ]
      : ['HOME', 'LOGNAME', 'PATH', 'SHELL', 'TERM', 'TMPDIR', 'USER'];
  const basic: Record<string, string> = {};
  for (const name of names) {
    const value = environment[name];
    if (value !== undefined) basic[name] = value;
  }
  basic['PATH'] ??= dirname(process.execPath);
  return basic;
}
