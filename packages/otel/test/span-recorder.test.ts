import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import {
  type Adapter,
  AdapterError,
  defineTool,
  type ModelResponse,
  RunTrace,
  runLoop,
} from '@glassloop/core';
import { toOtlp } from '@glassloop/trace';
import { context, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spanRecorder } from '../src/index.ts';

const key = `sk-proj-${'x1'.repeat(20)}`;

/** One failed attempt, a round with two calls, an answer. */
function adapter(): Adapter {
  let next = 0;
  const response = (content: string, ...names: string[]): ModelResponse => ({
    message: {
      role: 'assistant',
      content,
      toolCalls: names.map((name, at) => ({ id: `c${at}`, name, argumentsJson: '{"city":"Oslo"}' })),
    },
    finishReason: names.length > 0 ? 'tool_calls' : 'stop',
    usage: { promptTokens: 10, completionTokens: 2, totalTokens: 12 },
  });
  return {
    name: 'made-up',
    model: 'made-up-1',
    capabilities: {
      streaming: false,
      parallelToolCalls: true,
      requiredToolChoice: true,
      thinking: false,
      images: false,
      cost: false,
    },
    async chat() {
      const place = next++;
      if (place === 0) throw new AdapterError('unavailable', 'Down for a moment');
      return place === 1 ? response('', 'look', 'breaks') : response(`Cold. ${key}`);
    },
  };
}
const tools = [
  defineTool({ name: 'look', description: 'Looks', execute: () => 'cold' }),
  defineTool({
    name: 'breaks',
    description: 'Breaks',
    execute: () => {
      throw new Error('broken');
    },
  }),
];
const perform = (runTrace: RunTrace) =>
  runLoop(
    {
      adapter: adapter(),
      messages: [{ role: 'user', content: 'How cold?' }],
      tools,
      retry: { baseDelayMs: 1 },
    },
    runTrace,
  );

const provider = (exporter: SpanExporter) =>
  new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
const ms = ([seconds, nanos]: readonly [number, number]) => seconds * 1000 + nanos / 1e6;

describe('spans of a live run', () => {
  const memory = new InMemorySpanExporter();
  const tracerProvider = provider(memory);
  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(tracerProvider);
  });
  afterAll(() => {
    context.disable();
    trace.disable();
  });

  it('are children of the span that was active, with the times of the steps', async () => {
    memory.reset();
    const runTrace = await trace.getTracer('app').startActiveSpan('handle request', async (span) => {
      const made = new RunTrace({ onRecord: spanRecorder() });
      await perform(made);
      span.end();
      return made;
    });
    expect(runTrace.warnings).toEqual([]);
    const spans = memory.getFinishedSpans();
    const named = (name: string) => spans.filter((span) => span.name === name);
    expect(spans.map(({ name }) => name)).toEqual([
      'chat made-up-1',
      'chat made-up-1',
      ...runTrace.steps.flatMap((step) => (step.kind === 'tool' ? [`execute_tool ${step.call.name}`] : [])),
      'chat made-up-1',
      'invoke_agent',
      'handle request',
    ]);
    const [root] = named('invoke_agent');
    expect(root!.parentSpanContext?.spanId).toBe(named('handle request')[0]!.spanContext().spanId);
    for (const span of spans.slice(0, -2)) {
      expect(span.parentSpanContext?.spanId).toBe(root!.spanContext().spanId);
      expect(ms(span.startTime)).toBeGreaterThanOrEqual(ms(root!.startTime) - 0.01);
      expect(ms(span.endTime)).toBeLessThanOrEqual(ms(root!.endTime) + 0.01);
    }
    const [failed] = named('chat made-up-1');
    expect(failed!.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(failed!.attributes).toMatchObject({ 'error.type': 'unavailable', 'glassloop.attempt': 1 });
    expect(named('execute_tool breaks')[0]!.status.code).toBe(SpanStatusCode.ERROR);
    expect(root!.attributes).toMatchObject({
      'gen_ai.usage.input_tokens': 20,
      'glassloop.stop_reason': 'completed',
    });
    const times = runTrace.steps.filter(({ kind }) => kind === 'tool').map(({ at }) => at);
    expect(
      spans.filter(({ name }) => name.startsWith('execute_tool')).map(({ endTime }) => ms(endTime)),
    ).toEqual(times.map((time) => expect.closeTo(time, 2)));
  });

  it('hold content only when asked, and secrets never', async () => {
    for (const content of [false, true]) {
      memory.reset();
      await perform(new RunTrace({ onRecord: spanRecorder({ content }) }));
      const text = JSON.stringify(
        memory.getFinishedSpans().map(({ attributes, status }) => ({ attributes, status })),
      );
      expect(text.includes('Cold.')).toBe(content);
      expect(text.includes('Oslo')).toBe(content);
      expect(text.includes(key)).toBe(false);
    }
  });

  it('say what the export of the trace says', async () => {
    memory.reset();
    const runTrace = new RunTrace({ onRecord: spanRecorder({ content: true }) });
    await perform(runTrace);
    const exported = toOtlp({ steps: runTrace.steps }, { content: true }).resourceSpans[0]!.scopeSpans[0]!
      .spans;
    const names = (attributes: object) => Object.keys(attributes).sort();
    expect(memory.getFinishedSpans().map(({ name, attributes }) => [name, names(attributes)])).toEqual(
      exported.map(({ name, attributes }) => [name, attributes.map((attribute) => attribute.key).sort()]),
    );
  });
});

describe('over HTTP', () => {
  const received: { readonly type: string; readonly body: Buffer }[] = [];
  let server: Server;
  let url: string;
  beforeAll(async () => {
    server = createServer(async (request, response) => {
      const parts: Buffer[] = [];
      for await (const part of request) parts.push(part as Buffer);
      received.push({ type: String(request.headers['content-type']), body: Buffer.concat(parts) });
      response
        .writeHead(200, { 'content-type': String(request.headers['content-type']) })
        .end(request.headers['content-type']?.includes('json') ? '{}' : '');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/traces`;
  });
  afterAll(() => server.close());

  const { ExportTraceServiceRequest } = (
    createRequire(import.meta.url)('otlp-schema/build/src/generated/root.js') as {
      opentelemetry: {
        proto: {
          collector: {
            trace: {
              v1: { ExportTraceServiceRequest: { decode(bytes: Uint8Array): { resourceSpans: Decoded[] } } };
            };
          };
        };
      };
    }
  ).opentelemetry.proto.collector.trace.v1;
  interface Decoded {
    readonly scopeSpans: { readonly spans: { readonly name: string }[] }[];
  }
  const namesIn = (requests: { resourceSpans: readonly Decoded[] }[]) =>
    requests.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap(({ spans }) => spans.map(({ name }) => name)),
      ),
    );

  it.each([
    ['protobuf', (at: string): SpanExporter => new ProtoExporter({ url: at }) as unknown as SpanExporter],
    ['JSON', (at: string): SpanExporter => new OTLPTraceExporter({ url: at }) as unknown as SpanExporter],
  ])('a collector gets every span, as %s', async (form, make) => {
    received.length = 0;
    const exporting = provider(make(url));
    await perform(new RunTrace({ onRecord: spanRecorder({ tracer: exporting.getTracer('t') }) }));
    await exporting.forceFlush();
    await exporting.shutdown();
    const requests = received.map(({ body }) =>
      form === 'protobuf'
        ? ExportTraceServiceRequest.decode(body)
        : (JSON.parse(body.toString()) as { resourceSpans: Decoded[] }),
    );
    expect(namesIn(requests).sort()).toEqual(
      [
        'chat made-up-1',
        'chat made-up-1',
        'chat made-up-1',
        'execute_tool breaks',
        'execute_tool look',
        'invoke_agent',
      ].sort(),
    );
    expect(received.every(({ type }) => type.includes(form === 'protobuf' ? 'protobuf' : 'json'))).toBe(true);
  });
});
