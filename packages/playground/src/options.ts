import type { Adapter, Dropped, JsonSchemaValidator, Run, Skill, Snippet, Tool } from '@glassloop/core';
import type { CatalogConfiguration, CatalogProvider, Retention } from './protocol.ts';

/** What a playground is told by the program that starts it. It knows no adapter and reads no configuration itself. */
export interface PlaygroundOptions {
  /** What can be run. A function is asked for each catalogue and each run, so that edited files show. */
  readonly contents: PlaygroundContents | (() => PlaygroundContents | Promise<PlaygroundContents>);
  /** Shown by GET /meta and written into reports. */
  readonly version: string;
  /** Keys and other texts that must appear in no answer and no file. A function is asked each time. */
  readonly secrets?: readonly string[] | (() => readonly string[]);
  /** Where runs are kept. Absent: in memory only, until the server stops. */
  readonly history?: { readonly folder: string } & Partial<Retention>;
  /** Default 4711; 0: any free port. */
  readonly port?: number;
  /** Default: 256 random bits. At least 32 characters. */
  readonly token?: string;
  /**
   * Listen on another address than 127.0.0.1. Anyone who can reach it and has the token can run tools here.
   * `trustedHosts`: the exact Host headers that are answered besides the loopback ones, such as `box.local:4711`.
   */
  readonly unsafeRemote?: { readonly host: string; readonly trustedHosts: readonly string[] };
  /** Runs that may go on at the same time. Default 4. */
  readonly runningAtOnce?: number;
  /** What people who run the server should know: a line each. Default: nothing. */
  readonly log?: (line: string) => void;
}

export interface PlaygroundContents {
  readonly providers: readonly PlaygroundProvider[];
  readonly configurations?: readonly PlaygroundConfiguration[];
  readonly tools?: readonly PlaygroundTool[];
  /** By the id that configurations and requests use. */
  readonly skills?: ReadonlyMap<string, Skill>;
  readonly snippets?: ReadonlyMap<string, Snippet>;
  /** For tools with a plain JSON Schema. */
  readonly validator?: JsonSchemaValidator;
  readonly examplePrompts?: readonly string[];
  /** What the form starts with; default: the first configuration, the first ready provider and its first model. */
  readonly defaults?: {
    readonly configuration?: string;
    readonly provider?: string;
    readonly model?: string;
  };
}

export interface PlaygroundProvider extends CatalogProvider {
  /** Makes the adapter for one run. Not called while `ready` is false, but for a dry run. */
  create(model: string): Adapter | Promise<Adapter>;
}

export interface PlaygroundConfiguration extends CatalogConfiguration {
  /** What else it says about its runs. */
  readonly settings?: Pick<
    Run,
    'limits' | 'prices' | 'retry' | 'skillPolicy' | 'systemPromptOrigin' | 'toolConcurrency' | 'toolTimeoutMs'
  >;
  /** What it names and could not be found. */
  readonly missing?: readonly Dropped[];
}

/** One whose `effect` is not `reads` is off until a person turns it on and confirms it. */
export interface PlaygroundTool {
  readonly tool: Tool;
  /** A heading to list it under. Default: "Tools". */
  readonly group?: string;
}
