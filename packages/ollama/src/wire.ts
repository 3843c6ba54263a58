import { AdapterError, excerpt } from '@glassloop/core/adapter';
import { asObject, parsed } from './json.ts';

/**
 * The lines of a stream, checked before the SDK reads them: it would print a line that is no JSON to the console and
 * go on without it, and reduce an error line to its text. Blank lines and an unfinished last line are left out.
 */
export function checkedLines(
  failure: (line: string) => AdapterError,
): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  let passed = 0;
  const pass = (line: string, controller: TransformStreamDefaultController<Uint8Array>, isLast: boolean) => {
    if (line.trim() === '') return;
    const event = asObject(parsed(line));
    if (event === undefined) {
      // A connection cut in the middle of a line is a cut answer; a stream of something else is no answer at all.
      if (isLast && passed > 0) return;
      throw new AdapterError('bad_response', `ollama: a line of the stream is not JSON: ${excerpt(line)}`);
    }
    if ('error' in event) throw failure(line);
    passed += 1;
    controller.enqueue(encoder.encode(`${line}\n`));
  };
  return new TransformStream(
    {
      transform(chunk, controller) {
        const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) pass(line, controller, false);
      },
      flush(controller) {
        pass(rest + decoder.decode(), controller, true);
      },
    },
    undefined,
    // Reads ahead, so that the connection is free again although the SDK stops reading at the line that says done.
    { highWaterMark: 1024 },
  );
}
