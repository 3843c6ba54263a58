/** What is asked for when a run is started. */

import type {
  ContentPart,
  Dropped,
  Message,
  RunSettings,
  Source,
  ToolOptionValues,
  ToolSpec,
} from '@glassloop/core';

/* POST /api/v1/assemble and POST /api/v1/runs */

/** Absent means: as the configuration says, else the default. */
export interface RunRequest {
  readonly configuration?: string;
  readonly provider?: string;
  readonly model?: string;
  /** The user's message. Either this or `messages`. */
  readonly prompt?: string | readonly ContentPart[];
  /** A whole conversation, for a run from a step. */
  readonly messages?: readonly Message[];
  /** Instead of the configuration's. Blank: the configuration's. */
  readonly systemPrompt?: string;
  /** An empty list offers none. Absent: the configuration's, without those that write. */
  readonly tools?: readonly string[];
  /** Ids; absent: the configuration's. */
  readonly skills?: readonly string[];
  readonly snippets?: readonly string[];
  /** Merged over the configuration's, option by option; null removes one. */
  readonly options?: { readonly [option in keyof ToolOptionValues]: ToolOptionValues[option] | null };
  readonly maxRounds?: number;
  readonly limits?: RunRequestLimits;
  /** Default false. */
  readonly captureRaw?: boolean;
  /** Default true; false: in memory only, until the server stops. */
  readonly keep?: boolean;
  /** Assemble, record, send nothing. */
  readonly dryRun?: boolean;
  /** Names of the writing tools whose use the person has confirmed; one that is chosen and not named is refused. */
  readonly allowEffects?: readonly string[];
  readonly forkedFrom?: { readonly run: string; readonly step: number };
}

export interface RunRequestLimits {
  readonly totalTokens?: number;
  readonly cost?: number;
  readonly toolCalls?: number;
  readonly durationMs?: number;
}

/** Answer to POST /assemble: what the first round would send. Nothing was sent or stored. */
export interface AssembleAnswer {
  readonly settings: RunSettings;
  readonly messages: readonly Message[];
  readonly sources: readonly Source[];
  readonly dropped: readonly Dropped[];
  readonly tools: readonly ToolSpec[];
  readonly warnings: readonly string[];
  /** The provider's JSON body; absent with a reason. */
  readonly wire?: { readonly body: unknown; readonly warnings: readonly string[] };
  readonly wireAbsent?: string;
  readonly estimate: {
    /** UTF-8 bytes / 4 of messages and tools. */
    readonly tokens: number;
    readonly contextWindow?: number;
    /** US dollars for sending it; absent: no price. */
    readonly cost?: number;
    readonly pricesAsOf?: string;
  };
}

/** Answer to POST /runs (201). With `Accept: application/x-ndjson` the answer is the event stream itself. */
export interface StartedRun {
  readonly runId: string;
  /** Path of the event stream. */
  readonly events: string;
}
