/** A server-sent event. */
export interface ServerSentEvent {
  /** Its `event:` field; absent when it has none. */
  readonly event?: string;
  /** Its `data:` lines, joined by line breaks. Never empty. */
  readonly data: string;
}

/**
 * The events of a `text/event-stream`, however its bytes are split and its lines end. Comments, other fields and events
 * without data are left out; an event that the end of the stream cuts off is not. Leaving early cancels the body.
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  let event: string | undefined;
  let data: string[] = [];
  for await (const line of everyLine(body)) {
    if (line === '') {
      if (data.length > 0) yield assembled(event, data);
      event = undefined;
      data = [];
      continue;
    }
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === 'data') data.push(value);
    else if (field === 'event') event = value;
  }
  if (data.length > 0) yield assembled(event, data);
}

function assembled(event: string | undefined, data: readonly string[]): ServerSentEvent {
  return { ...(event !== undefined && { event }), data: data.join('\n') };
}

/** The lines of a body that are not blank: JSON lines (NDJSON). Leaving early cancels the body. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const line of everyLine(body)) if (line.trim() !== '') yield line;
}

async function* everyLine(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  const reader = body.getReader();
  let rest = '';
  let endedInReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      // A line is handed on at its CR, without waiting for the LF that may follow.
      if (endedInReturn && text.startsWith('\n')) text = text.slice(1);
      if (text !== '') endedInReturn = text.endsWith('\r');
      const [first = '', ...others] = text.split(/\r\n|\n|\r/);
      rest += first;
      for (const next of others) {
        yield rest;
        rest = next;
      }
      if (done) break;
    }
    if (rest !== '') yield rest;
  } finally {
    reader.cancel().catch(() => {});
  }
}
