import { TRACE_VERSION } from '@glassloop/core/trace-file';
import type { PlaygroundContents } from './options.ts';
import type { Catalog, CatalogText, ExportFormat, Meta, Retention } from './protocol.ts';
import { BLOB_BYTES } from './runs/blobs.ts';
import { DEFAULT_ROUNDS, effectOf } from './runs/prepare.ts';
import { IMPORT_LIMITS } from './share/import.ts';
import { MOST_REPORT_BYTES } from './share/report.ts';

/** Of a JSON request body. A conversation with images may be long. */
export const MOST_BODY_BYTES = 32 * 1024 * 1024;

export const EXPORT_FORMATS: readonly ExportFormat[] = ['ndjson', 'html', 'md', 'har', 'otlp'];

export function metaOf(facts: {
  readonly version: string;
  readonly contents: PlaygroundContents;
  readonly retention: Retention;
  readonly keeps: boolean;
  readonly runningAtOnce: number;
}): Meta {
  const days = facts.contents.providers
    .flatMap(({ models }) => models.map(({ prices }) => prices?.asOf))
    .filter((day) => day !== undefined);
  const newest = days.sort().at(-1);
  return {
    version: facts.version,
    traceVersion: TRACE_VERSION,
    limits: {
      bodyBytes: MOST_BODY_BYTES,
      importBytes: IMPORT_LIMITS.bytes,
      importLineBytes: IMPORT_LIMITS.lineBytes,
      importSteps: IMPORT_LIMITS.steps,
      importDepth: IMPORT_LIMITS.depth,
      reportBytes: MOST_REPORT_BYTES,
      runningAtOnce: facts.runningAtOnce,
      blobBytes: BLOB_BYTES,
    },
    history: { keeps: facts.keeps, ...facts.retention },
    exports: EXPORT_FORMATS,
    redactions: ['secrets', 'content', 'none'],
    ...(newest === undefined ? {} : { pricesAsOf: newest }),
  };
}

/** What the form offers. Of providers only whether they are ready; of what they are made of, nothing. */
export function catalogOf(contents: PlaygroundContents): Catalog {
  const { providers, configurations = [], tools = [], examplePrompts = [], defaults = {} } = contents;
  const configuration = defaults.configuration ?? configurations[0]?.id;
  const configured = configurations.find(({ id }) => id === configuration);
  const ready = providers.find(({ ready }) => ready);
  const provider = defaults.provider ?? configured?.provider ?? ready?.name;
  const model =
    defaults.model ??
    (configured?.provider === provider ? configured?.model : undefined) ??
    providers.find(({ name }) => name === provider)?.models[0]?.id;
  return {
    providers: providers.map(({ create: _, ...facts }) => facts),
    configurations: configurations.map(({ settings: _, missing: __, ...facts }) => facts),
    tools: tools.map(({ tool, group = 'Tools' }) => ({
      name: tool.name,
      description: tool.description,
      parameters: tool.parameters,
      effect: effectOf(tool),
      group,
    })),
    skills: [...(contents.skills ?? [])].map(([id, skill]) =>
      textOf(id, skill.name, skill.body, skill.enabled !== false, {
        ...(skill.source === undefined ? {} : { source: skill.source }),
        trust: skill.trust ?? 'first_party',
        ...(skill.origin === undefined ? {} : { file: skill.origin.file }),
      }),
    ),
    snippets: [...(contents.snippets ?? [])].map(([id, snippet]) =>
      textOf(
        id,
        snippet.name,
        snippet.text,
        snippet.active !== false,
        snippet.origin === undefined ? {} : { file: snippet.origin.file },
      ),
    ),
    defaults: {
      ...(configuration === undefined ? {} : { configuration }),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      maxRounds: configured?.maxRounds ?? DEFAULT_ROUNDS,
      examplePrompts,
    },
  };
}

function textOf(
  id: string,
  name: string,
  text: string,
  enabled: boolean,
  facts: Pick<CatalogText, 'source' | 'trust' | 'file'>,
): CatalogText {
  const bytes = Buffer.byteLength(text);
  return { id, name, text, bytes, tokens: estimatedTokens(bytes), enabled, ...facts };
}

/** Good to a factor of about 1.5 for English text and code; always shown as an estimate. */
export function estimatedTokens(bytes: number): number {
  return Math.ceil(bytes / 4);
}
