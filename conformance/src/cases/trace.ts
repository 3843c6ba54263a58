import { defineTool, messagesSent, type Run, RunTrace, runLoop } from '@glassloop/core';
import type { RecordedRequest, ScriptedTurn } from '@glassloop/simulator';
import type { Bench, Provider } from '../bench.ts';
import { bothModes } from '../case.ts';
import { holds, rejection, same, sameJson } from '../check.ts';
import { callsSeen, resultsSeen } from './tool-turns.ts';

/** Two calls of one tool that end in the other order, one that fails, and the answer. */
const SCRIPT: readonly ScriptedTurn[] = [
  {
    think: 'I need both.',
    say: 'Let me look.',
    callTools: [
      { id: 'call00001', name: 'weather', arguments: { city: 'Oslo' } },
      { id: 'call00002', name: 'weather', arguments: { city: 'Rome' } },
      { id: 'call00003', name: 'broken' },
    ],
  },
  { say: 'Snow in Oslo, sun in Rome.' },
];

export const traceCases = bothModes({
  'trace.conversation': {
    title: 'A run of two rounds: calls run, results go back in the order of the calls whatever ends first',
    why: 'The whole path once: what the loop and the adapter believe of each other.',
    async run(bench) {
      const provider = await bench.provider(...SCRIPT);
      const run = await runLoop(runOf(provider, bench));

      same(
        [run.content, run.stopReason, run.rounds],
        ['Snow in Oslo, sun in Rome.', 'completed', 2],
        'content, stop reason, rounds',
      );
      const [oslo, rome, broken, ...more] = resultsSeen(provider, 1).map((result) => result.text);
      same([oslo, rome, more], ['snow in Oslo', 'snow in Rome', []], 'results as the provider sees them');
      holds(broken?.includes('fail'), `the failed tool's result is ${broken}`);
      if (bench.wire.can.callIds) {
        same(
          resultsSeen(provider, 1).map((result) => result.callId),
          callsSeen(provider, 1).map((call) => call.id),
          'ids of results',
        );
      }
      if (bench.wire.can.errorResults)
        same(
          resultsSeen(provider, 1).map((result) => result.isError === true),
          [false, false, true],
          'error flags',
        );
    },
  },
  'trace.neutral': {
    title:
      'With a trace, with raw capture, or without either: the same bytes go out and the same result comes back',
    why: 'Observation that changes what is observed finds no bug in production.',
    async run(bench) {
      const traces = [null, new RunTrace(), new RunTrace({ captureRaw: true })];
      const sent: string[][] = [];
      const results: unknown[] = [];
      for (const trace of traces) {
        const provider = await bench.provider(...SCRIPT);
        results.push(withoutIds(bench, await runLoop(runOf(provider, bench), trace)));
        sent.push(provider.exchanges.map((exchange) => withoutHost(exchange.request, bench)));
      }

      for (const [index, name] of ['a trace', 'raw capture'].entries()) {
        same(sent[index + 1], sent[0], `requests with ${name}, against those without`);
        sameJson(results[index + 1], results[0], `the result with ${name}, against the one without`);
      }
    },
  },
  'trace.steps': {
    title: 'The trace shows what was sent and what came back, raw only when it was asked for',
    why: 'A trace made from what somebody believes is sent shows everything but the bug.',
    async run(bench) {
      const provider = await bench.provider(...SCRIPT);
      const trace = new RunTrace();
      await runLoop(runOf(provider, bench), trace);
      const captured = await bench.provider(...SCRIPT);
      const withRaw = new RunTrace({ captureRaw: true });
      await runLoop(runOf(captured, bench), withRaw);

      const roles = messagesSent(trace.steps, 2).map((message) => message.role);
      same(roles, ['system', 'user', 'assistant', 'tool', 'tool', 'tool'], 'roles of the second request');
      const responses = trace.steps.filter((step) => step.kind === 'response');
      same(
        responses.map((step) => step.message.content),
        ['Let me look.', 'Snow in Oslo, sun in Rome.'],
        'contents',
      );
      same(responses.filter((step) => 'raw' in step).length, 0, 'raw bodies without capture');
      const raws = withRaw.steps.flatMap((step) => (step.kind === 'response' ? [step.raw] : []));
      sameJson(
        raws,
        captured.exchanges.map((exchange) => exchange.reply?.body),
        'raw bodies with capture',
      );
    },
  },
  'trace.failure': {
    title:
      'A failed call is a step with its code, status and captured body, and ends the run with that error',
    why: 'The one call that matters most was the one without a trace.',
    async run(bench) {
      const failing = { fail: { status: 400, message: 'no such luck' } };
      const provider = await bench.provider(failing);
      const trace = new RunTrace({ captureRaw: true });
      const error = await rejection(runLoop(runOf(provider, bench), trace));

      same((error as { code?: unknown }).code, 'invalid_request', 'code of the run');
      const step = trace.steps.find((one) => one.kind === 'error');
      same([step?.code, step?.status], ['invalid_request', 400], 'code and status of the step');
      sameJson(step?.raw, provider.exchange(0).reply?.body, 'the captured body of the failure');
    },
  },
  'trace.incomplete': {
    title: 'Calls of an answer that was cut are not run',
    why: 'A half-written argument list that happens to parse deletes the wrong file.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [{ name: 'count', arguments: {} }],
        finish: 'length',
      });
      let ran = 0;
      const count = defineTool({ name: 'count', description: 'Counts', execute: () => ++ran });
      const run = await runLoop({ ...runOf(provider, bench), tools: [count] });

      same([ran, run.stopReason], [0, 'length'], 'times the tool ran, and the stop reason');
    },
  },
});

function runOf(provider: Provider, bench: Bench): Run {
  return {
    adapter: provider.adapter,
    systemPrompt: 'Be brief.',
    messages: [{ role: 'user', content: 'Weather in Oslo and Rome?' }],
    tools: [
      defineTool<{ city: string }>({
        name: 'weather',
        description: 'Weather of a city',
        input: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        async execute({ city }) {
          if (city === 'Oslo') await new Promise((resolve) => setTimeout(resolve, 8));
          return `snow in ${city}`;
        },
      }),
      defineTool({
        name: 'broken',
        description: 'Always fails',
        execute: () => {
          throw new Error('no such luck');
        },
      }),
    ],
    retry: { maxRetries: 0 },
    ...(bench.mode === 'streamed' ? { onDelta: () => {} } : {}),
  };
}

/** A request as text; ports differ between providers, and ids where the adapter makes them up. */
function withoutHost({ rawHeaders, path, query, bodyText, body }: RecordedRequest, bench: Bench): string {
  const headers = rawHeaders.filter(
    ([name]) => name.toLowerCase() !== 'host' && name.toLowerCase() !== 'content-length',
  );
  return JSON.stringify([path, query, headers, bench.wire.can.callIds ? bodyText : body]);
}

function withoutIds(bench: Bench, run: Awaited<ReturnType<typeof runLoop>>): unknown {
  if (bench.wire.can.callIds) return run;
  let text = JSON.stringify(run);
  const ids = run.messages.flatMap((message) =>
    message.role === 'assistant' ? message.toolCalls.map((call) => call.id) : [],
  );
  for (const [index, id] of ids.entries()) text = text.replaceAll(id, `call ${index}`);
  return JSON.parse(text);
}
