import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { SemanticConventions } from '@arizeai/openinference-semantic-conventions';
import * as conventions from '@opentelemetry/semantic-conventions/incubating';
import { Ajv } from 'ajv';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type OtlpDocument,
  type OtlpSpan,
  SEMCONV_VERSION,
  toHar,
  toJson,
  toMarkdown,
  toOpenInference,
  toOtlp,
} from '../src/index.ts';
import { throughSchema } from './otlp-schema.ts';
import { type RecordedRun, recordedRun } from './recorded-run.ts';

const require = createRequire(import.meta.url);
let run: RecordedRun;
let streamed: RecordedRun;
beforeAll(async () => {
  run = await recordedRun();
  streamed = await recordedRun({ streams: true });
});

const spansOf = (document: OtlpDocument) => document.resourceSpans[0]!.scopeSpans[0]!.spans;
const attributesOf = ({ attributes }: OtlpSpan): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));

describe('OTLP', () => {
  it('passes through the official schema unchanged', () => {
    for (const document of [
      toOtlp(run),
      toOtlp(run, { content: true }),
      toOtlp(streamed, { content: true }),
    ]) {
      expect(throughSchema(document)).toEqual(JSON.parse(JSON.stringify(spansOf(document))));
    }
  });

  it('has one root, a chat span per attempt and a tool span per call', () => {
    const spans = spansOf(toOtlp(run));
    expect(spans.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      'chat gpt-test 3',
      'chat gpt-test 3',
      ...run.steps.flatMap((step) => (step.kind === 'tool' ? [`execute_tool ${step.call.name} 1`] : [])),
      'chat gpt-test 3',
      'invoke_agent 1',
    ]);
    const root = spans.at(-1)!;
    expect(root.parentSpanId).toBeUndefined();
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
    for (const span of spans.slice(0, -1)) expect(span.parentSpanId).toBe(root.spanId);
    for (const { traceId, spanId, startTimeUnixNano, endTimeUnixNano } of spans) {
      expect(traceId).toMatch(/^[0-9a-f]{32}$/);
      expect(spanId).toMatch(/^[0-9a-f]{16}$/);
      expect(BigInt(startTimeUnixNano)).toBeLessThanOrEqual(BigInt(endTimeUnixNano));
      expect(BigInt(startTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano) - 1_000_000n);
    }
  });

  it('uses only names that the pinned conventions have, beside its own', () => {
    const manifest = new URL(
      '../node_modules/@opentelemetry/semantic-conventions/package.json',
      import.meta.url,
    );
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    expect(version.split('.').slice(0, 2)).toEqual(SEMCONV_VERSION.split('.').slice(0, 2));
    const names = new Set<unknown>(Object.values(conventions));
    for (const span of spansOf(toOtlp(run, { content: true }))) {
      for (const name of Object.keys(attributesOf(span))) {
        if (!name.startsWith('glassloop.')) expect(names, name).toContain(name);
      }
    }
  });

  it('says what was asked, counted and failed', () => {
    const [failed, first, ...rest] = spansOf(toOtlp(run));
    expect(failed!.status).toEqual({ code: 2 });
    expect(attributesOf(failed!)).toMatchObject({
      'error.type': 'rate_limited',
      'http.response.status_code': '429',
      'glassloop.attempt': '1',
      'gen_ai.provider.name': 'openai',
    });
    expect(first!.status).toBeUndefined();
    expect(attributesOf(first!)).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.temperature': 0,
      'gen_ai.request.max_tokens': '100',
      'glassloop.attempt': '2',
      'server.address': '127.0.0.1',
    });
    expect(attributesOf(rest.at(-2)!)).toMatchObject({
      'gen_ai.usage.input_tokens': '30',
      'gen_ai.usage.cache_read.input_tokens': '12',
      'gen_ai.usage.reasoning.output_tokens': '3',
    });
    expect(attributesOf(rest.at(-1)!)).toMatchObject({
      'glassloop.stop_reason': 'completed',
      'glassloop.rounds': '2',
    });
  });

  it('holds content only when asked', () => {
    for (const document of [toOtlp(run), toOpenInference(run)]) {
      expect(JSON.stringify(document)).not.toMatch(/cold|Oslo|brief|looks|broke|Slow/);
    }
    expect(JSON.stringify(toOtlp(run, { content: true }))).toMatch(/cold.*broke/s);
  });

  it('gives the same ids for the same trace', () => {
    expect(toOtlp(run)).toEqual(toOtlp(structuredClone(run)));
    const other = { ...run, header: { ...run.header, id: 'run-2' } };
    expect(spansOf(toOtlp(other))[0]!.traceId).not.toBe(spansOf(toOtlp(run))[0]!.traceId);
  });

  it('writes what there is of a cut trace', () => {
    for (let length = 0; length < run.steps.length; length++) {
      const cut = { header: undefined, steps: run.steps.slice(length ? 0 : 3, length || undefined) };
      expect(() => throughSchema(toOtlp(cut, { content: true }))).not.toThrow();
    }
  });
});

describe('OpenInference', () => {
  it('uses the names of the official package', () => {
    const names = new Set<string>(
      Object.values(SemanticConventions).filter((name) => typeof name === 'string'),
    );
    // Lists are flattened: the names are those around and behind the index.
    const isKnown = (name: string) =>
      names.has(name) ||
      name
        .split(/\.\d+\.?/)
        .every((part) => part === '' || names.has(part) || names.has(part.replace('.image.url', '')));
    const spans = throughSchema(toOpenInference(run, { content: true }));
    for (const span of spans)
      for (const name of Object.keys(attributesOf(span))) expect(isKnown(name), name).toBe(true);
    expect(spans.map((span) => attributesOf(span)['openinference.span.kind'])).toEqual([
      'LLM',
      'LLM',
      'TOOL',
      'TOOL',
      'LLM',
      'AGENT',
    ]);
  });
});

describe('HAR', () => {
  it.each(['whole', 'streamed'])('is valid by the published schema, %s', (form) => {
    const har = toHar(form === 'whole' ? run : streamed);
    const schemas = require('har-schema') as Record<string, { $id: string; $schema?: string }>;
    const ajv = new Ajv({
      strict: false,
      validateFormats: false,
      schemas: Object.values(schemas).map(({ $schema: _, ...schema }) => schema),
    });
    const validate = ajv.getSchema('har.json#') ?? ajv.getSchema('har.json')!;
    expect(validate(har), JSON.stringify(validate.errors)).toBe(true);
    expect(har.log.entries.map(({ response }) => response.status)).toEqual([429, 200, 200]);
    const last = har.log.entries.at(-1)!;
    expect(JSON.parse(last.request.postData.text)).toMatchObject({ model: 'gpt-test' });
    if (form === 'streamed')
      expect(last.response.content.text).toMatch(/^data: \{[\s\S]*data: \[DONE\]\n\n$/);
    else expect(JSON.parse(last.response.content.text)).toMatchObject({ object: 'chat.completion' });
  });

  it('has no entries without raw capture', () => {
    const steps = run.steps.map(({ ...step }) => {
      if ('metadata' in step) delete (step as { metadata?: unknown }).metadata;
      return step;
    });
    expect(toHar({ steps }).log.entries).toEqual([]);
  });
});

describe('Markdown and JSON', () => {
  it('cannot be broken out of by what was said', () => {
    const text = toMarkdown(run);
    expect(text).toContain('````text\nIt is ```cold``` in "Oslo" | 🙂.\n````');
    expect(text).toContain('## Round 1, attempt 2');
    expect(text).toContain('## End: completed');
  });

  it('gives back the steps', () => {
    expect(toJson(run, { redact: (text) => text })).toEqual({ header: run.header, steps: run.steps });
  });
});
