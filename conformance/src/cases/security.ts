import { inspect } from 'node:util';
import { RunTrace, runLoop } from '@glassloop/core';
import type { ScriptedTurn } from '@glassloop/simulator';
import { KEY, type Provider } from '../bench.ts';
import { bothModes, whole } from '../case.ts';
import { fail, holds, rejection, same } from '../check.ts';
import { TOOLS, user } from '../fixtures.ts';
import { plainServer } from '../plain-server.ts';

export const securityCases = [
  ...bothModes({
    'security.key-on-wire': {
      title: 'The key is in one header of the request and nowhere else',
      why: 'Keys in URLs end up in the logs of every proxy.',
      async run(bench) {
        const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
        await provider.ask({ tools: TOOLS });
        await provider.ask({ tools: TOOLS, options: { _capture_raw: true } });

        for (const { request } of provider.exchanges) {
          const carriers = request.rawHeaders.filter(([, value]) => value.includes(KEY));
          holds(
            carriers.length <= 1,
            `${carriers.length} headers hold the key: ${carriers.map(([name]) => name).join(', ')}`,
          );
          holds(!`${request.path}?${request.query}`.includes(KEY), 'the key is in the URL');
          holds(!request.bodyText.includes(KEY), 'the key is in the body');
        }
      },
    },
    'security.key-in-errors': {
      title: 'No error shows the key: message, stack, hidden properties, causes, JSON, captured body',
      why: 'Providers quote the key they refuse, and SDK errors hold the headers of the request.',
      async run(bench) {
        const echo = `Incorrect API key provided: ${KEY}. Authorization: Bearer ${KEY}`;
        const page = { headers: { 'content-type': 'text/html' }, chunks: [`<html>${echo}</html>`] };
        const failures: Readonly<Record<string, ScriptedTurn>> = {
          'HTTP 401': { fail: { status: 401, message: echo } },
          'HTTP 400': { fail: { status: 400, message: echo, code: KEY } },
          'HTTP 500': { fail: { status: 500, message: echo, headers: { 'x-request-id': 'r1' } } },
          'a page': { reply: page },
          'a page with 502': { reply: { ...page, status: 502 } },
          'a broken connection': { say: 'x', cutOff: 'before' },
        };
        for (const [what, turn] of Object.entries(failures)) {
          const provider = await bench.provider(turn, turn);
          hidesKey(await rejection(provider.ask()), what);
          hidesKey(await rejection(provider.ask({ options: { _capture_raw: true } })), `${what}, captured`);
        }
      },
    },
    'security.key-in-results': {
      title: 'No result, captured body or trace shows the key, also when the provider echoes it',
      why: 'Traces are shared; a gateway that echoes request headers put the key into them.',
      async run(bench) {
        const provider = await bench.provider(
          { say: 'Ok.', extra: { zz_echo: { authorization: `Bearer ${KEY}` } } },
          { say: 'Ok.', extra: { zz_echo: KEY } },
        );
        hidesKey(await provider.ask({ options: { _capture_raw: true } }), 'the result');
        const trace = new RunTrace({ captureRaw: true });
        const watched = bench.mode === 'streamed' ? { onDelta: () => {} } : {};
        const run = await runLoop({ adapter: provider.adapter, messages: [user('Hi')], ...watched }, trace);

        hidesKey(run, 'the result of the run');
        hidesKey(trace.steps, 'the trace');
        hidesKey(provider.adapter, 'the adapter itself');
      },
    },
    'security.headers': {
      title: 'Headers from the settings are sent on every path',
      why: 'Gateways that need a header refused exactly the streamed or the captured calls.',
      async run(bench) {
        const headers = { 'x-team': 'glass', 'X-Trace-Id': 'abc-1' };
        const provider = await bench.providerWith({ headers }, { say: 'Ok.' }, { say: 'Ok.' });
        await provider.ask({ tools: TOOLS });
        await provider.ask({ options: { _capture_raw: true } });

        for (const index of [0, 1]) {
          same(
            [header(provider, index, 'x-team'), header(provider, index, 'x-trace-id')],
            ['glass', 'abc-1'],
            'the two headers',
          );
        }
      },
    },
    'security.authorization': {
      title: 'A header from the settings cannot replace the key',
      why: 'A copied header with an old key was sent instead of the one that was set, or beside it.',
      async run(bench) {
        const first = await bench.provider({ say: 'Ok.' });
        await first.ask();
        const [carrier] = first.exchange(0).request.rawHeaders.find(([, value]) => value.includes(KEY)) ?? [];
        if (carrier === undefined) return;
        const provider = await bench.providerWith(
          { headers: { [carrier]: 'Bearer other-key-of-somebody' } },
          { say: 'Ok.' },
        );
        await provider.ask();

        const sent = provider
          .exchange(0)
          .request.rawHeaders.filter(([name]) => name.toLowerCase() === carrier.toLowerCase());
        same(sent.length, 1, `headers called ${carrier}`);
        holds(sent[0]?.[1].includes(KEY), 'the key that was set is not in its header');
      },
    },
    'security.prototype': {
      title: 'Arguments and names like __proto__ and constructor stay data',
      why: 'Merging a model’s arguments into an object changed every object of the process.',
      async run(bench) {
        const written =
          '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}},"city":"Oslo"}';
        const provider = await bench.provider(
          { callTools: [{ id: 'call00001', name: 'weather', arguments: JSON.parse(written) }] },
          { say: 'Ok.' },
        );
        const { message } = await provider.ask({ tools: TOOLS });
        const answer = {
          role: 'tool' as const,
          toolCallId: message.toolCalls[0]!.id,
          toolName: 'weather',
          content: 'snow',
          isError: false,
        };
        await provider.ask({ messages: [user('Hi'), message, answer], tools: TOOLS });

        same(({} as { polluted?: unknown }).polluted, undefined, 'a property that every object now has');
        same(Object.getPrototypeOf(message.toolCalls[0]), Object.prototype, 'prototype of the call');
      },
    },
  }),
  ...whole({
    'security.model-id': {
      title: 'A model id with separators is sent as one id, or refused; it never becomes another address',
      why: 'A model id out of a form field reached another endpoint of the provider.',
      async run(bench) {
        for (const model of ['models/../../files?x=1#frag', 'a b/c:d@e', 'm%2e%2e%2fx', 'ünïcode-模型']) {
          const provider = await bench.responder(() => ({ say: 'Ok.' }));
          let adapter: Provider['adapter'];
          try {
            adapter = bench.create({ baseURL: provider.simulator.baseURL, apiKey: KEY, model });
          } catch (error) {
            holds(error instanceof Error && error.message !== '', 'refused without a word');
            continue;
          }
          const outcome = await adapter
            .chat({ messages: [user('Hi')], tools: [], options: {} })
            .catch((error: unknown) => error);
          if (provider.exchanges.length === 0) {
            holds(outcome instanceof Error, 'nothing was sent, and nothing was said');
            continue;
          }
          const { seen, request } = provider.exchange(0);
          if (seen === undefined)
            fail(`model ${model} went to ${request.path}?${request.query}, which is no address for answers`);
          same(seen.model, model, 'the model as sent');
          holds(!request.query.includes('x=1'), `the model id added to the query: ${request.query}`);
        }
      },
    },
    'security.redirect': {
      title: 'The key does not follow a redirect to another host',
      why: 'A redirect to elsewhere is how keys are collected.',
      async run(bench) {
        const answer = await bench.replyFor({ say: 'Gotcha.' });
        const taken: string[] = [];
        const elsewhere = await plainServer(answer, (headers) => taken.push(...headers));
        const location = `${elsewhere.origin.replace('127.0.0.1', 'localhost')}/stolen`;
        try {
          const provider = await bench.provider({
            reply: { status: 307, headers: { location }, chunks: [''] },
          });
          await provider.ask().catch(() => {});
        } finally {
          await elsewhere.close();
        }

        holds(!taken.join('\n').includes(KEY), 'the key went to another host');
      },
    },
  }),
];

function header(provider: Provider, index: number, name: string): string | undefined {
  return provider.exchange(index).request.rawHeaders.find(([own]) => own.toLowerCase() === name)?.[1];
}

/** Looks where an error reporter or a log would. */
function hidesKey(value: unknown, what: string): void {
  const places: Record<string, unknown> = {
    'util.inspect': inspect(value, {
      depth: 10,
      showHidden: true,
      maxStringLength: null,
      maxArrayLength: null,
    }),
    JSON: JSON.stringify(value),
    String: String(value),
  };
  for (let link = value, depth = 0; link instanceof Error && depth < 10; link = link.cause, depth++) {
    places[`stack at depth ${depth}`] = link.stack;
    places[`JSON at depth ${depth}`] = JSON.stringify({ ...link, message: link.message });
  }
  for (const [place, text] of Object.entries(places)) {
    if (String(text).includes(KEY)) fail(`${what}: the key shows in ${place}`);
  }
}
