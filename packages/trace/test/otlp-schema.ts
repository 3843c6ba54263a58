import { createRequire } from 'node:module';
import type { OtlpDocument, OtlpSpan } from '../src/index.ts';

interface MessageType {
  verify(message: object): string | null;
  create(message: object): object;
  encode(message: object): { finish(): Uint8Array };
  decode(bytes: Uint8Array): object;
  toObject(message: object, options: object): Record<string, unknown>;
}

/** The official protobuf schema of OTLP, as OpenTelemetry generates it. */
const root = createRequire(import.meta.url)('otlp-schema/build/src/generated/root.js') as {
  opentelemetry: { proto: { collector: { trace: { v1: { ExportTraceServiceRequest: MessageType } } } } };
};
const Request = root.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;

/** The document through the official schema and back; throws for what the schema does not know. */
export function throughSchema(document: OtlpDocument): readonly OtlpSpan[] {
  const message = fromJson(document) as Record<string, unknown>;
  const problem = Request.verify(message);
  if (problem !== null) throw new Error(problem);
  const decoded = Request.decode(Request.encode(Request.create(message)).finish());
  const back = Request.toObject(decoded, { longs: String }) as unknown as OtlpDocument;
  return toJson(back.resourceSpans[0]!.scopeSpans[0]!.spans) as readonly OtlpSpan[];
}

const IDS = new Set(['traceId', 'spanId', 'parentSpanId']);

/** OTLP/JSON writes ids in hex and numbers of 64 bits as text; protobuf wants bytes and longs. */
function fromJson(value: unknown, key = ''): unknown {
  if (typeof value === 'string') {
    if (IDS.has(key)) return Buffer.from(value, 'hex');
    return /UnixNano$|^intValue$/.test(key) ? longOf(value) : value;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => fromJson(item, key));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fromJson(inner, name)]));
}

function toJson(value: unknown, key = ''): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => toJson(item, key));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toJson(inner, name)]));
}

function longOf(text: string): { low: number; high: number; unsigned: boolean } {
  const value = BigInt(text);
  return {
    low: Number(BigInt.asIntN(32, value)),
    high: Number(BigInt.asIntN(32, value >> 32n)),
    unsigned: false,
  };
}
