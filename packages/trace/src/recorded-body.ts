/** A recorded body as the bytes it was decoded from: whole as JSON, a list of events as the stream it came in. */
export interface RecordedBody {
  readonly contentType: string;
  /** One for a whole body, one for each event of a stream. */
  readonly pieces: readonly string[];
}

export function recordedBody(raw: unknown): RecordedBody {
  if (typeof raw === 'string') return { contentType: 'text/plain', pieces: [raw] };
  if (!Array.isArray(raw)) return { contentType: 'application/json', pieces: [JSON.stringify(raw) ?? ''] };
  if (raw.some(isOllamaEvent)) {
    return { contentType: 'application/x-ndjson', pieces: raw.map((event) => `${textOf(event)}\n`) };
  }
  const done = raw.some(isChatCompletionsEvent) ? ['data: [DONE]\n\n'] : [];
  return { contentType: 'text/event-stream', pieces: [...raw.map(eventText), ...done] };
}

function textOf(event: unknown): string {
  return typeof event === 'string' ? event : JSON.stringify(event);
}

function eventText(event: unknown): string {
  const type = (event as { type?: unknown } | null)?.type;
  const name = typeof type === 'string' ? `event: ${type}\n` : '';
  return `${name}data: ${textOf(event).replaceAll('\n', '\ndata: ')}\n\n`;
}

/** Only Ollama streams lines of JSON, and only its pieces say whether they are the last. */
function isOllamaEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'done' in event && !('choices' in event);
}

function isChatCompletionsEvent(event: unknown): boolean {
  return typeof event === 'object' && event !== null && 'choices' in event;
}
