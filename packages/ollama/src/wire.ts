import { AdapterError, excerpt } from '@glassloop/core/adapter';
import { asObject, parsed } from './json.ts';

/**
 * The lines of a stream, checked before the SDK reads them: it would print a line that is no JSON to the console and
 * go on without it, and reduce an error line to its text. Blank lines and an unfinished last line are left out.
 */
export function checkedLines(
  body: ReadableStream<Uint8Array>,
  failure: (line: string) => AdapterError,
): ReadableStream<Uint8Array> {
  const lines = read(body, failure);
  const encoder = new TextEncoder();
  // A stream that reads one line ahead: what came before a failure is handed on first, and the connection is read to
  // its end although the SDK stops at the line that says done.
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next();
      if (done) controller.close();
      else controller.enqueue(encoder.encode(`${value}\n`));
    },
    async cancel() {
      await lines.return(undefined);
    },
  });
}

async function* read(
  body: ReadableStream<Uint8Array>,
  failure: (line: string) => AdapterError,
): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let isFirst = true;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() === '') continue;
      yield checked(line, failure);
      isFirst = false;
    }
  }
  rest += decoder.decode();
  // A connection cut in the middle of a line is a cut answer; a body that is no line at all is no answer.
  if (rest.trim() !== '' && (isFirst || parsed(rest) !== undefined)) yield checked(rest, failure);
}

function checked(line: string, failure: (line: string) => AdapterError): string {
  const event = asObject(parsed(line));
  if (event === undefined) {
    throw new AdapterError('bad_response', `ollama: a line of the stream is not JSON: ${excerpt(line)}`);
  }
  if (event['error'] !== undefined && event['error'] !== null) throw failure(line);
  return line;
}
