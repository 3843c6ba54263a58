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
export function readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ServerSentEvent> {
  return partsOf(body, new EventParser());
}

/** The same, to a function, which costs far less for streams of many small events. What it throws ends the reading. */
export async function eachEvent(
  body: ReadableStream<Uint8Array>,
  take: (event: ServerSentEvent) => void,
): Promise<void> {
  const parser = new EventParser();
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const event of done ? parser.end() : parser.push(value)) take(event);
      if (done) break;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

/** The lines of a body that are not blank: JSON lines (NDJSON). Leaving early cancels the body. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const line of partsOf(body, new LineParser())) if (line.trim() !== '') yield line;
}

interface Parser<Part> {
  /** What the bytes complete. */
  push(bytes: Uint8Array): readonly Part[];
  /** What the end of the body completes. */
  end(): readonly Part[];
}

async function* partsOf<Part>(body: ReadableStream<Uint8Array>, parser: Parser<Part>): AsyncGenerator<Part> {
  const reader = body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      yield* done ? parser.end() : parser.push(value);
      if (done) break;
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

class LineParser implements Parser<string> {
  readonly #decoder = new TextDecoder();
  #rest = '';
  #endedInReturn = false;

  push(bytes: Uint8Array): string[] {
    return this.#linesOf(this.#decoder.decode(bytes, { stream: true }));
  }

  end(): string[] {
    const lines = this.#linesOf(this.#decoder.decode());
    if (this.#rest !== '') lines.push(this.#rest);
    return lines;
  }

  #linesOf(decoded: string): string[] {
    // A line is handed on at its CR, without waiting for the LF that may follow.
    const text = this.#endedInReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    if (text !== '') this.#endedInReturn = text.endsWith('\r');
    const lines = text.includes('\r') ? text.split(/\r\n|\n|\r/) : text.split('\n');
    lines[0] = this.#rest + lines[0]!;
    this.#rest = lines.pop()!;
    return lines;
  }
}

class EventParser implements Parser<ServerSentEvent> {
  readonly #lines = new LineParser();
  #event: string | undefined;
  #data: string | undefined;

  push(bytes: Uint8Array): ServerSentEvent[] {
    return this.#eventsOf(this.#lines.push(bytes));
  }

  end(): ServerSentEvent[] {
    // A blank line ends an event; so does the end of the body.
    return this.#eventsOf([...this.#lines.end(), '']);
  }

  #eventsOf(lines: readonly string[]): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (const line of lines) {
      if (line === '') {
        const data = this.#data;
        if (data !== undefined)
          events.push(this.#event === undefined ? { data } : { event: this.#event, data });
        this.#event = undefined;
        this.#data = undefined;
      } else if (line.startsWith('data') && (line[4] === ':' || line.length === 4)) {
        const value = fieldValue(line, 5);
        this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`;
      } else if (line.startsWith('event:')) {
        this.#event = fieldValue(line, 6);
      }
    }
    return events;
  }
}

/** What stands behind the colon, without the one blank that may follow it. */
function fieldValue(line: string, start: number): string {
  return line.slice(line[start] === ' ' ? start + 1 : start);
}
