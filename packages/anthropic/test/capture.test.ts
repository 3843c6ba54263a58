import { describe, expect, it } from 'vitest';
import {
  answer,
  asking,
  type Body,
  eventsOf,
  failureOf,
  json,
  KEY,
  mode,
  modes,
  scripted,
  sse,
  turnFor,
} from './helpers.ts';
import { anyAnthropic } from './wire.ts';

const capture = { _capture_raw: true } as const;
const whole = answer([{ type: 'text', text: 'hi', x_unknown: 'MARK' }], { x_unknown: { k: 'MARK' } });

describe.each(modes)('raw capture, %s', (_, onDelta) => {
  const raw = onDelta === undefined ? whole : eventsOf(whole);

  it('C028 is off by default, and then keeps nothing', async () => {
    const { adapter } = await scripted(
      [turnFor(whole, onDelta), json({ ...whole, content: 'MARK' })],
      {},
      { wire: anyAnthropic },
    );
    const response = await adapter.chat(asking(mode(onDelta)));
    expect(JSON.stringify(response)).not.toContain('MARK');
    expect(response).not.toHaveProperty('metadata');
    expect(await failureOf(adapter.chat(asking(mode(onDelta))))).not.toHaveProperty('metadata');
  });

  it('C029 is what came over the wire', async () => {
    const { adapter, simulator } = await scripted([turnFor(whole, onDelta)], {}, { wire: anyAnthropic });
    const { metadata } = await adapter.chat(asking({ options: capture, ...mode(onDelta) }));
    expect(metadata?.['_raw']).toEqual(raw);
    expect(metadata?.['_wire']).toMatchObject({
      method: 'POST',
      body: simulator.exchanges[0]?.request.bodyText,
    });
    expect(JSON.stringify(metadata)).not.toContain(KEY);
  });

  it('C031 changes not one byte of the request', async () => {
    const { adapter, simulator } = await scripted(
      [turnFor(whole, onDelta), turnFor(whole, onDelta)],
      {},
      { wire: anyAnthropic },
    );
    const request = asking({ options: { temperature: 0.5 }, ...mode(onDelta) });
    const off = await adapter.chat(request);
    const { metadata: _metadata, ...on } = await adapter.chat({
      ...request,
      options: { ...request.options, ...capture },
    });
    expect(on).toEqual(off);
    const [first, second] = simulator.exchanges.map(({ request }) => [
      request.bodyText,
      headersOf(request.rawHeaders),
    ]);
    expect(second).toEqual(first);
  });

  it('C030 is of its own call alone', async () => {
    const respond = (text: string): Body => answer([{ type: 'text', text }]);
    const { adapter: shared, simulator } = await scripted([], {}, { wire: anyAnthropic });
    for (let turn = 0; turn < 10; turn++) {
      simulator.script({ ...turnFor(respond('A'), onDelta), delayMs: 15 }, turnFor(respond('B'), onDelta));
      const first = shared.chat(asking({ options: capture, ...mode(onDelta) }));
      await until(() => simulator.exchanges.length === turn * 2 + 1);
      const second = shared.chat(asking(mode(onDelta)));
      const [a, b] = await Promise.all([first, second]);
      expect([a.message.content, b.message.content]).toEqual(['A', 'B']);
      expect(JSON.stringify(a.metadata?.['_raw'])).toContain('"A"');
      expect(b).not.toHaveProperty('metadata');
    }
  });

  it('is there for a failed call too', async () => {
    const body = { type: 'error', error: { type: 'api_error', message: 'x' }, extra: 1 };
    const { adapter } = await scripted([json(body, 500), json({ ...body, type: 'other' })]);
    for (let call = 0; call < 2; call++) {
      const error = await failureOf(adapter.chat(asking({ options: capture, ...mode(onDelta) })));
      expect(error.metadata?.['_raw']).toMatchObject({ extra: 1 });
    }
  });
});

it('is there for a stream that failed midway', async () => {
  const events = [
    ...eventsOf(whole).slice(0, 4),
    { type: 'error', error: { type: 'api_error', message: 'boom' } },
  ];
  const { adapter } = await scripted([sse(...events)], {}, { wire: anyAnthropic });
  const error = await failureOf(adapter.chat(asking({ options: capture, onDelta: () => {} })));
  expect(error.metadata?.['_raw']).toEqual(JSON.parse(JSON.stringify(events)));
});

/** In the order and spelling of the wire, without what differs by connection. */
function headersOf(headers: readonly (readonly [string, string])[]): unknown {
  return headers.filter(([name]) => name.toLowerCase() !== 'connection');
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 1));
}
