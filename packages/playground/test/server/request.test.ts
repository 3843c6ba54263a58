import type { AssembledStep } from '@glassloop/core';
import { describe, expect, it } from 'vitest';
import type { Catalog, StreamLine } from '../../src/protocol.ts';
import { playground, scripted } from './helpers.ts';

const assembledOf = (lines: readonly StreamLine[]) =>
  lines.flatMap((line) =>
    line.type === 'step' && line.step.kind === 'assembled' ? [line.step] : [],
  )[0] as AssembledStep;

async function started(count = 1) {
  const { contents, simulator } = await scripted(...Array.from({ length: count }, () => ({ say: 'ok' })));
  return { ...(await playground({ contents })), simulator };
}

describe('a request', () => {
  it('starts from the configuration, and changes what it names', async () => {
    const { run, simulator } = await started();
    const { lines } = await run({
      configuration: 'ops',
      prompt: 'hi',
      options: { temperature: null, topP: 0.5 },
      systemPrompt: 'Be loud.',
      snippets: ['legal'],
      maxRounds: 2,
    });
    const { settings, added, sources, dropped } = assembledOf(lines);
    expect(settings).toMatchObject({ model: 'gpt-x', maxRounds: 2, options: { topP: 0.5, maxTokens: 100 } });
    expect(settings.options).not.toHaveProperty('temperature');
    expect(added.map(({ content }) => content)).toEqual([
      'Be loud.',
      'Legal:\nNo promises.',
      expect.stringContaining('First look at the time.'),
    ]);
    expect(sources.map(({ kind }) => kind)).toEqual(['override', 'snippet', 'skill', 'caller']);
    expect(dropped).toMatchObject([{ reason: 'overridden' }]);
    expect(simulator.exchanges).toHaveLength(1);
    expect(lines[0]).toMatchObject({ request: { configuration: 'ops', systemPrompt: 'Be loud.' } });
  });

  it('offers no tool when none is ticked, and none that writes unless it is ticked and confirmed', async () => {
    const { run, post } = await started(3);
    const offered = async (request: object) =>
      assembledOf((await run({ prompt: 'hi', ...request })).lines).tools.map(({ name }) => name);
    expect(await offered({})).toEqual(['look_up']);
    expect(await offered({ tools: [] })).toEqual([]);
    expect(await post('/runs', { prompt: 'hi', tools: ['look_up', 'save'] })).toMatchObject({
      status: 409,
      body: { code: 'effects_not_allowed', detail: expect.stringContaining('save') },
    });
    expect(await offered({ tools: ['save'], allowEffects: ['save'] })).toEqual(['save']);
  });

  it('names each field that cannot be used', async () => {
    const { post } = await started(0);
    const { status, body } = await post('/runs', {
      prompt: 'hi',
      configuration: 'none',
      provider: 'openia',
      tools: ['look_up', 'nope'],
      snippets: ['nope'],
      options: { temperature: 9, colour: 'red' },
    });
    expect(status).toBe(400);
    expect(body.fields.map(({ field }: { field: string }) => field).sort()).toEqual([
      'configuration',
      'options.colour',
      'options.temperature',
      'provider',
      'snippets[0]',
      'tools[1]',
    ]);
    expect(await post('/runs', { messages: [{ role: 'nobody' }] })).toMatchObject({ status: 400 });
    expect(await post('/runs', { prompt: 'x', provider: 'mistral', model: 'm' })).toMatchObject({
      status: 409,
      body: { code: 'provider_not_ready', detail: 'MISTRAL_API_KEY is not set.' },
    });
  });

  it('with an Idempotency-Key starts once', async () => {
    const { call, simulator } = await started(1);
    const send = (json: object) =>
      call('/api/v1/runs', { method: 'POST', json, headers: { 'idempotency-key': 'k1' } });
    const answers = await Promise.all([send({ prompt: 'hi' }), send({ prompt: 'hi' })]);
    const [first, second] = await Promise.all(answers.map((answer) => answer.json()));
    expect(second).toEqual(first);
    const other = await send({ prompt: 'ho' });
    expect([other.status, (await other.json()).code]).toEqual([409, 'idempotency_conflict']);
    await call(first.events).then((answer) => answer.text());
    expect(simulator.exchanges).toHaveLength(1);
  });

  it('dry: assembled, not sent; and the same without a stored run', async () => {
    const { run, post, get, simulator } = await started(0);
    const { lines } = await run({ configuration: 'ops', prompt: 'hi', dryRun: true });
    expect(lines.at(-1)).toMatchObject({ type: 'end', status: 'dry_run' });
    const { body } = await post('/assemble', { configuration: 'ops', prompt: 'hi' });
    const { settings, added, sources, tools } = assembledOf(lines);
    expect(body).toMatchObject({ settings, messages: added, sources, tools });
    expect(body.wire.body).toMatchObject({ model: 'gpt-x', temperature: 0.5 });
    expect(body.estimate).toMatchObject({
      tokens: expect.any(Number),
      cost: expect.any(Number),
      pricesAsOf: '2026-01-01',
    });
    expect(simulator.exchanges).toHaveLength(0);
    expect((await get('/runs')).total).toBe(1);
  });

  it('the catalogue tells what there is, and of providers only whether they are ready', async () => {
    const { get } = await started(0);
    const catalog: Catalog = await get('/catalog');
    expect(catalog.providers.map(({ name, ready }) => [name, ready])).toEqual([
      ['openai', true],
      ['mistral', false],
    ]);
    expect(catalog.providers[1]!.notReady).toMatchObject({ variable: 'MISTRAL_API_KEY' });
    expect(catalog.tools.map(({ name, effect, group }) => [name, effect, group])).toEqual([
      ['look_up', 'reads', 'words'],
      ['save', 'writes', 'Tools'],
    ]);
    expect(catalog.defaults).toMatchObject({
      configuration: 'ops',
      provider: 'openai',
      model: 'gpt-x',
      maxRounds: 3,
    });
    expect(catalog.configurations[0]).not.toHaveProperty('settings');
  });
});
