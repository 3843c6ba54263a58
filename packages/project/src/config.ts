import type {
  Prices,
  RetryPolicy,
  RunLimits,
  SkillPolicy,
  ToolOptionValues,
  TrustLevel,
} from '@glassloop/core';

/** What a glassloop.config file says. The JSON form: `config.schema.json`. */
export interface ProjectConfig {
  /** For editors. */
  readonly $schema?: string;
  /** By a name of your own. */
  readonly providers: { readonly [name: string]: ProviderConfig };
  readonly configurations: { readonly [name: string]: Configuration };
  /** The configuration of a run that names none. Default: the only one there is. */
  readonly default?: string;
  /** Folder of skills. Default `skills`. */
  readonly skills?: string;
  /** How far the authors of skills are trusted. Default for each: `first_party`. */
  readonly skillTrust?: { readonly [skill: string]: TrustLevel };
  /** Folder of snippets. Default `snippets`. */
  readonly snippets?: string;
  /** Files of tool modules. */
  readonly tools?: readonly string[];
  readonly mcpServers?: { readonly [name: string]: McpServerConfig };
}

export interface ProviderConfig {
  /** The adapter's name. Default: the name of this provider. */
  readonly adapter?: string;
  /** For configurations that name none. */
  readonly model?: string;
  readonly baseURL?: string;
  /** Name of the environment variable that holds the key; never the key. Default: the adapter's own. */
  readonly keyVariable?: string;
  /** Milliseconds one call of the model may take. */
  readonly timeoutMs?: number;
  /** By model: US dollars per million tokens. */
  readonly prices?: { readonly [model: string]: Prices & { readonly asOf: string } };
}

export interface Configuration {
  /** A configuration to start from. `options` and `limits` are merged with its own, all else is replaced. */
  readonly extends?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly systemPrompt?: string | { readonly file: string };
  /** Ids, in order. */
  readonly skills?: readonly string[];
  /** Snippets with one of these tags become part of the system prompt. */
  readonly tags?: readonly string[];
  /** Names; absent: all tools of the project; empty: none. */
  readonly tools?: readonly string[];
  /** Names of MCP servers whose tools are offered too. Absent: none. */
  readonly mcp?: readonly string[];
  readonly options?: ToolOptionValues;
  readonly maxRounds?: number;
  readonly limits?: RunLimits;
  readonly retry?: RetryPolicy;
  readonly toolConcurrency?: number;
  readonly toolTimeoutMs?: number;
  readonly skillPolicy?: SkillPolicy;
}

/** The fields of `McpServer` in @glassloop/mcp. */
export interface McpServerConfig {
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: { readonly [name: string]: string };
  readonly cwd?: string;
  readonly url?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly tools?: readonly string[];
  readonly maxCalls?: number;
  readonly timeoutMs?: number;
  readonly startupMs?: number;
}

/** The configuration as it is; for types and completion in an editor. */
export function defineConfig(config: ProjectConfig): ProjectConfig {
  return config;
}
