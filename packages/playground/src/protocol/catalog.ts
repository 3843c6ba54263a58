/** What there is to run with, and the limits. */

import type { Capabilities, Prices, ToolOptionValues, ToolSpec, TrustLevel } from '@glassloop/core';
import type { ExportFormat, Redaction } from './share.ts';

/* GET /api/v1/meta */

export interface Meta {
  readonly version: string;
  readonly traceVersion: number;
  readonly limits: {
    readonly bodyBytes: number;
    readonly importBytes: number;
    readonly importLineBytes: number;
    readonly importSteps: number;
    readonly importDepth: number;
    readonly reportBytes: number;
    readonly runningAtOnce: number;
    /** Longer values are a BlobRef in steps. */
    readonly blobBytes: number;
  };
  readonly history: { readonly keeps: boolean } & Retention;
  readonly exports: readonly ExportFormat[];
  readonly redactions: readonly Redaction[];
  /** The newest `asOf` of all prices. */
  readonly pricesAsOf?: string;
}

/** Runs beyond any of these are deleted, oldest first; pinned and running ones never. */
export interface Retention {
  readonly maxRuns: number;
  readonly maxDays: number;
  readonly maxBytes: number;
}

/* GET /api/v1/catalog */

export interface Catalog {
  readonly providers: readonly CatalogProvider[];
  readonly configurations: readonly CatalogConfiguration[];
  readonly tools: readonly CatalogTool[];
  readonly skills: readonly CatalogText[];
  readonly snippets: readonly CatalogText[];
  /** What the form starts with. */
  readonly defaults: {
    readonly configuration?: string;
    readonly provider?: string;
    readonly model?: string;
    readonly maxRounds: number;
    readonly examplePrompts: readonly string[];
  };
}

export interface CatalogProvider {
  readonly name: string;
  /** For people; default: the name. */
  readonly title?: string;
  /** A rule-based model on this machine; costs nothing. */
  readonly isDemo?: boolean;
  readonly ready: boolean;
  /** Why not, and how to get it ready; never a value. */
  readonly notReady?: {
    readonly code: 'no_key' | 'not_installed' | 'failed';
    /** The environment variable to set. */
    readonly variable?: string;
    readonly text: string;
  };
  readonly models: readonly CatalogModel[];
  /** Other model names may be typed. */
  readonly takesAnyModel: boolean;
  /** null: not known. */
  readonly capabilities: Capabilities | null;
  /** Options that would be left out or refused, each with the reason. */
  readonly unsupported?: { readonly [option in keyof ToolOptionValues]?: string };
}

export interface CatalogModel {
  readonly id: string;
  /** Tokens. */
  readonly contextWindow?: number;
  readonly maxOutput?: number;
  readonly prices?: Prices;
}

export interface CatalogConfiguration {
  readonly id: string;
  /** Why it cannot be used now. */
  readonly problem?: string;
  readonly title?: string;
  readonly description?: string;
  readonly provider?: string;
  readonly model?: string;
  readonly systemPrompt?: string;
  /** null or absent: all; a list, these. */
  readonly tools?: readonly string[] | null;
  readonly skills?: readonly string[];
  readonly snippets?: readonly string[];
  readonly options?: ToolOptionValues;
  readonly maxRounds?: number;
}

export interface CatalogTool extends ToolSpec {
  /** `writes`: changes something outside the run, or nobody said that it does not. */
  readonly effect: 'reads' | 'writes';
  /** A heading to list it under. */
  readonly group: string;
}

/** A skill or a snippet. */
export interface CatalogText {
  readonly id: string;
  readonly name: string;
  readonly description?: string;
  /** UTF-8. */
  readonly bytes: number;
  /** Estimated, as bytes / 4. */
  readonly tokens: number;
  readonly text: string;
  readonly source?: string;
  readonly trust?: TrustLevel;
  readonly enabled: boolean;
  readonly file?: string;
}
