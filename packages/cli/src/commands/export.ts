import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { TraceHeader } from '@glassloop/core/trace-file';
import {
  type ExportOptions,
  harWriter,
  jsonWriter,
  markdownWriter,
  type OtlpSpan,
  OtlpSpans,
  otlpDocument,
  otlpWriter,
  redactHeader,
  type SpanDialect,
  type TraceWriter,
} from '@glassloop/trace';
import { type Command, Option } from 'commander';
import type { Context } from '../context.ts';
import { fileProblem, messageOf, Problem } from '../problem.ts';
import { counted, oneLine, visible } from '../render/text.ts';
import { OpenedTrace } from '../trace-reading.ts';
import { filled, url } from './flags.ts';

type Form = 'otlp' | 'openinference' | 'har' | 'md' | 'json';

interface ExportFlags {
  readonly to: Form;
  readonly redact: 'none' | 'secrets' | 'content';
  readonly content?: true;
  readonly endpoint?: string;
  readonly output?: string;
}

export function addExport(program: Command, context: Context, ended: (exitCode: number) => void): void {
  program
    .command('export')
    .summary('write a saved run in another form')
    .description(
      'Writes a trace as OpenTelemetry spans (otlp, openinference), as HAR 1.2 (what went over the wire; needs --capture-raw when recorded), as Markdown for an issue, or as one JSON document.\nKeys and other secrets are blacked out unless you say otherwise.',
    )
    .argument('<file>', 'a trace, written by --trace')
    .addOption(
      new Option('--to <form>', 'the form')
        .choices(['otlp', 'openinference', 'har', 'md', 'json'])
        .makeOptionMandatory(),
    )
    .addOption(
      new Option('--redact <level>', 'what to leave out: nothing, secrets, or all that was said')
        .choices(['none', 'secrets', 'content'])
        .default('secrets'),
    )
    .option('--content', 'spans with messages, arguments and results (otlp, openinference)')
    .option('--endpoint <url>', 'send the spans to this collector, such as http://127.0.0.1:4318', url)
    .option('-o, --output <file>', 'write here instead of to standard output', filled)
    .action(async (file: string, flags: ExportFlags) => {
      ended(await exportTrace(file, flags, context));
    });
}

async function exportTrace(file: string, flags: ExportFlags, context: Context): Promise<number> {
  const { output, secrets } = context;
  const isSpans = flags.to === 'otlp' || flags.to === 'openinference';
  if (!isSpans && (flags.content || flags.endpoint !== undefined)) {
    throw new Problem(2, 'usage', '--content and --endpoint are for spans: --to otlp or --to openinference.');
  }
  // stdout is for the document alone.
  output.accountTo('stderr');
  const opened = new OpenedTrace(file, context);
  const options: ExportOptions = { level: flags.redact, secrets, content: flags.content === true };
  if (flags.endpoint !== undefined) {
    await send(opened, flags.endpoint, flags.to === 'otlp' ? 'gen_ai' : 'openinference', options, context);
  } else {
    await write(opened, flags, options, context);
  }
  opened.tellProblems();
  return 0;
}

function writerFor(form: Form, header: TraceHeader | undefined, options: ExportOptions): TraceWriter {
  switch (form) {
    case 'otlp':
      return otlpWriter(header, options);
    case 'openinference':
      return otlpWriter(header, options, 'openinference');
    case 'har':
      return harWriter(options);
    case 'md':
      return markdownWriter(header, options);
    case 'json':
      return jsonWriter(header, options);
  }
}

async function write(
  opened: OpenedTrace,
  flags: ExportFlags,
  options: ExportOptions,
  context: Context,
): Promise<void> {
  const target = new Target(flags.output, opened.path, flags.to === 'md', context);
  let writer: TraceWriter | undefined;
  let exchanges = 0;
  try {
    for await (const { step } of opened.steps()) {
      writer ??= writerFor(flags.to, opened.reader.header, options);
      if ((step.kind === 'response' || step.kind === 'error') && step.metadata?.['_wire'] !== undefined)
        exchanges++;
      await target.write(writer.add(step));
    }
    writer ??= writerFor(flags.to, opened.reader.header, options);
    await target.write(writer.end());
  } finally {
    target.close();
  }
  if (flags.to === 'har' && exchanges === 0) {
    context.output.error([
      'The trace holds no request as it was sent: record with --capture-raw to have them.',
    ]);
  }
}

/** Standard output, or a file that only its owner may read. */
class Target {
  readonly #fd: number | undefined;
  readonly #context: Context;
  readonly #file: string;
  /** Read on a terminal, so what could steer it is written out. */
  readonly #isForReading: boolean;

  constructor(file: string | undefined, source: string, isForReading: boolean, context: Context) {
    this.#isForReading = isForReading;
    this.#context = context;
    this.#file = oneLine(file ?? '', 200);
    if (file === undefined) return;
    const path = resolve(context.cwd, file);
    if (isSameFile(path, source))
      throw new Problem(2, 'usage', `${this.#file} is the trace itself; name another file after -o.`);
    try {
      this.#fd = openSync(path, 'w', 0o600);
    } catch (error) {
      throw fileProblem('Cannot write', this.#file, error);
    }
  }

  async write(text: string): Promise<void> {
    if (text === '') return;
    if (this.#fd === undefined)
      return this.#context.output.document(this.#isForReading ? visible(text) : text);
    try {
      const bytes = Buffer.from(text, 'utf8');
      for (let written = 0; written < bytes.length; ) written += writeSync(this.#fd, bytes, written);
    } catch (error) {
      throw fileProblem('Cannot write', this.#file, error);
    }
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
  }
}

function isSameFile(a: string, b: string): boolean {
  try {
    const [one, other] = [statSync(a), statSync(b)];
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false;
  }
}

/** Spans in one request to a collector. */
const BATCH = 200;

async function send(
  opened: OpenedTrace,
  endpoint: string,
  dialect: SpanDialect,
  options: ExportOptions,
  context: Context,
): Promise<void> {
  const address = new URL(endpoint);
  if (address.pathname === '/') address.pathname = '/v1/traces';
  const headers = {
    'content-type': 'application/json',
    ...headersFrom(context.env['OTEL_EXPORTER_OTLP_HEADERS']),
  };
  let spans: OtlpSpans | undefined;
  let batch: OtlpSpan[] = [];
  let sent = 0;
  const flush = async (): Promise<void> => {
    if (batch.length === 0) return;
    const body = JSON.stringify(otlpDocument(batch, redactHeader(opened.reader.header, options), dialect));
    await post(address, headers, body);
    sent += batch.length;
    batch = [];
  };
  for await (const { step } of opened.steps()) {
    spans ??= new OtlpSpans(opened.reader.header, options, dialect);
    batch.push(...spans.add(step));
    if (batch.length >= BATCH) await flush();
  }
  batch.push(...(spans?.end() ?? []));
  await flush();
  context.output.account([`${counted(sent, 'span')} sent to ${address.origin}${address.pathname}`]);
}

async function post(address: URL, headers: Record<string, string>, body: string): Promise<void> {
  const where = `${address.origin}${address.pathname}`;
  let response: Response;
  try {
    response = await fetch(address, { method: 'POST', headers, body, signal: AbortSignal.timeout(30_000) });
  } catch (error) {
    const cause = (error as { cause?: { code?: unknown } }).cause?.code;
    throw new Problem(
      1,
      'network',
      `The collector at ${where} cannot be reached: ${String(cause ?? messageOf(error))}.`,
      'Is it running, and does it take OTLP over HTTP (port 4318)?',
    );
  }
  const answer = await response.text().catch(() => '');
  if (response.ok) {
    const rejected = /"rejectedSpans"\s*:\s*"?([1-9]\d*)/.exec(answer)?.[1];
    if (rejected === undefined) return;
    throw new Problem(
      1,
      'collector',
      `The collector at ${where} refused ${rejected} spans: ${oneLine(answer, 300)}`,
    );
  }
  throw new Problem(
    1,
    'collector',
    `The collector at ${where} answered ${response.status}: ${oneLine(answer, 300)}`,
  );
}

/** `name=value,name=value`, percent-encoded, as the OpenTelemetry specification has it. */
function headersFrom(text = ''): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const pair of text.split(',')) {
    const [name = '', ...value] = pair.split('=');
    if (name.trim() === '' || value.length === 0) continue;
    const encoded = value.join('=').trim();
    try {
      headers[name.trim()] = decodeURIComponent(encoded);
    } catch {
      headers[name.trim()] = encoded;
    }
  }
  return headers;
}
