import { decodeTrace } from '@glassloop/core/trace-file';
import { describe, expect, it } from 'vitest';
import { playground, scripted, temporaryFolder } from './helpers.ts';

const LOOKS_LIKE_A_KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ012345';

async function exporter(captureRaw: boolean) {
  const { contents } = await scripted({ say: `Take ${LOOKS_LIKE_A_KEY}, a good one.` });
  const { run, call } = await playground({ contents, history: { folder: temporaryFolder() } });
  const { id } = await run({ prompt: 'Which token?', captureRaw });
  return async (json: object) => {
    const answer = await call(`/api/v1/runs/${id}/export`, { method: 'POST', json });
    const [type, disposition] = ['content-type', 'content-disposition'].map((name) =>
      answer.headers.get(name),
    );
    return { status: answer.status, type, disposition, text: await answer.text() };
  };
}

describe('export', () => {
  it.each([
    ['ndjson', 'ndjson', 'application/x-ndjson'],
    ['md', 'md', 'text/markdown'],
    ['otlp', 'otlp.json', 'application/json'],
    ['har', 'har', 'application/json'],
  ] as const)('%s is a file to save, redacted by default', async (format, extension, type) => {
    const send = await exporter(true);
    const answer = await send({ format });
    expect(answer).toMatchObject({ status: 200, type: `${type}; charset=utf-8` });
    expect(answer.disposition).toMatch(
      new RegExp(`^attachment; filename="glassloop-[0-9a-f]+\\.${extension}"$`),
    );
    expect(answer.text).not.toContain(LOOKS_LIKE_A_KEY);
    if (format !== 'otlp') expect(answer.text).toContain('Which token?');
    if (type === 'application/json') expect(JSON.parse(answer.text)).toBeTypeOf('object');
    if (format === 'ndjson') expect(decodeTrace(answer.text).problems).toEqual([]);
    const content = await send({ format, redact: 'content' });
    expect(content.text).not.toMatch(/a good one|Which token/);
    if (format === 'ndjson')
      expect((await send({ format, redact: 'none' })).text).toContain(LOOKS_LIKE_A_KEY);
  });

  it('HAR needs raw capture', async () => {
    const send = await exporter(false);
    const { status, text } = await send({ format: 'har' });
    expect([status, JSON.parse(text).code]).toEqual([422, 'not_captured']);
  });

  it('another format, or none, is a wrong field', async () => {
    const send = await exporter(false);
    for (const json of [{}, { format: 'pdf' }, { format: 'md', redact: 'some' }, []]) {
      const { status, text } = await send(json);
      expect([status, JSON.parse(text).code]).toEqual([400, 'invalid_request']);
    }
  });
});
