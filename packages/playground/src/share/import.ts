import { encodeStep, encodeTraceHeader, TRACE_VERSION, TraceReader } from '@glassloop/core/trace-file';
import { ProblemError } from '../http/problem.ts';

export const IMPORT_LIMITS = {
  bytes: 512 * 1024 * 1024,
  lineBytes: 32 * 1024 * 1024,
  steps: 200_000,
  depth: 200,
} as const;

export interface Imported {
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

const NEWLINE = 10;

/**
 * Reads a foreign trace line by line and hands each line that is one to `write`, numbered anew and under `id`, so that
 * what is kept is a sound file. Throws 413 for a file over a limit, 422 with the line for one that is no trace.
 */
export async function importTrace(
  chunks: AsyncIterable<Uint8Array>,
  id: string,
  write: (line: string) => void,
): Promise<Imported> {
  const reader = new TraceReader();
  let bytes = 0;
  let lineNumber = 0;
  let steps = 0;
  let hasHeader = false;
  let parts: Uint8Array[] = [];
  let pending = 0;

  const take = (line: Uint8Array, isCut: boolean) => {
    lineNumber++;
    const text = Buffer.from(line.buffer, line.byteOffset, line.byteLength).toString('utf8');
    if (depthOf(text) > IMPORT_LIMITS.depth) {
      throw tooLarge(`Line ${lineNumber} is nested more than ${IMPORT_LIMITS.depth} deep.`, lineNumber);
    }
    const step = reader.read(text, isCut);
    if (!hasHeader && reader.header !== undefined) {
      hasHeader = true;
      const { format: _, version, ...facts } = reader.header;
      if (version > TRACE_VERSION) {
        throw new ProblemError('invalid_trace', {
          detail: `The file is of version ${version} of the trace format; this playground reads version ${TRACE_VERSION}.`,
          hint: 'Update glassloop, or open the file without adding it to the history.',
          line: lineNumber,
        });
      }
      write(encodeTraceHeader({ ...facts, id }));
      return;
    }
    if (step === undefined) return;
    if (!hasHeader) {
      throw new ProblemError('invalid_trace', {
        detail: 'The first line is no header of a glassloop trace.',
        line: lineNumber,
      });
    }
    if (++steps > IMPORT_LIMITS.steps) throw tooLarge(`More than ${IMPORT_LIMITS.steps} steps.`, lineNumber);
    write(encodeStep(step, steps));
  };

  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > IMPORT_LIMITS.bytes)
      throw tooLarge(`More than ${IMPORT_LIMITS.bytes} bytes.`, lineNumber + 1);
    let from = 0;
    for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
      parts.push(chunk.subarray(from, at));
      checkLine(pending + at - from, lineNumber + 1);
      take(Buffer.concat(parts), false);
      parts = [];
      pending = 0;
      from = at + 1;
    }
    if (from < chunk.length) {
      // A copy: the stream may use the memory of its chunk again.
      parts.push(chunk.slice(from));
      pending += chunk.length - from;
      checkLine(pending, lineNumber + 1);
    }
  }
  if (pending > 0) take(Buffer.concat(parts), true);
  if (!hasHeader) {
    throw new ProblemError('invalid_trace', {
      detail: 'The file has no header of a glassloop trace.',
      hint: 'A trace begins with a line {"type":"run", …}. See docs/trace-format.md.',
      line: 1,
    });
  }
  return { problems: reader.end() };
}

function checkLine(length: number, line: number): void {
  if (length > IMPORT_LIMITS.lineBytes) {
    throw tooLarge(`Line ${line} is longer than ${IMPORT_LIMITS.lineBytes} bytes.`, line);
  }
}

function tooLarge(detail: string, line: number): ProblemError {
  return new ProblemError('too_large', {
    detail,
    hint: 'Open the file without adding it to the history.',
    line,
  });
}

const QUOTE = 34;
const BACKSLASH = 92;

/** How deep a JSON text is nested, told without parsing it: the parser itself would be the one to suffer. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inText = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inText) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) inText = false;
    } else if (code === QUOTE) inText = true;
    else if (code === 123 || code === 91) deepest = Math.max(deepest, ++depth);
    else if (code === 125 || code === 93) depth--;
  }
  return deepest;
}
