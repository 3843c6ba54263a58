import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { assistant, CONVERSATION, ID_1, ID_2, NOW, result, TOOLS, user } from '../fixtures.ts';
import { callsSeen, resultsSeen } from './tool-turns.ts';

export const toolCases = bothModes({
  'tools.offered': {
    title: 'Tools are offered with name, description and parameters',
    why: 'A lost description or schema makes a model guess arguments.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({ messages: [user('Hi')], tools: TOOLS });

      const { tools } = provider.seen();
      same(
        tools.map((tool) => [tool.name, tool.description]),
        [
          ['weather', 'Weather of a city'],
          ['now', 'The time'],
        ],
        'tools',
      );
      const { properties, required } = tools[0]!.parameters as {
        properties: { city?: object };
        required?: unknown;
      };
      same(Object.keys(properties), ['city'], 'properties of weather');
      same(required, ['city'], 'required of weather');
    },
  },
  'tools.none': {
    title: 'Without tools there is no tool field at all, whatever the options say',
    why: 'An empty tools list, or a tool choice without tools, is refused by several providers.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' }, { say: 'Ok.' });
      await provider.ask({ messages: [user('Hi')], tools: [] });
      await provider.ask({ tools: [], options: { toolChoice: 'required', parallelToolCalls: false } });

      for (const index of [0, 1]) {
        const fields = Object.keys(provider.body(index)).filter((field) => /tool|function/i.test(field));
        same(fields, [], 'tool fields in a request without tools');
      }
    },
  },
  'tools.call': {
    title: 'A call is handed over with name, id and arguments, and the answer ends for tool calls',
    why: 'The heart of the loop.',
    async run(bench) {
      const provider = await bench.provider({
        callTools: [{ id: ID_1, name: 'weather', arguments: { city: 'Oslo' } }],
      });
      const response = await provider.ask({ tools: TOOLS });

      const [call, ...more] = response.message.toolCalls;
      same(more, [], 'further calls');
      same(call?.name, 'weather', 'name');
      same(JSON.parse(call?.argumentsJson ?? ''), { city: 'Oslo' }, 'arguments');
      if (bench.wire.can.callIds) same(call?.id, ID_1, 'id');
      holds(typeof call?.id === 'string' && call.id !== '', 'a call has no id');
      same(response.finishReason, 'tool_calls', 'finish reason');
    },
  },
  'tools.text-and-call': {
    title: 'Text beside a call is kept',
    why: 'Adapters that look for calls first threw the text away.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Let me look.', callTools: [{ name: 'now' }] });
      const { message } = await provider.ask({ tools: TOOLS });

      same(message.content, 'Let me look.', 'content');
      same(
        message.toolCalls.map((call) => call.name),
        ['now'],
        'calls',
      );
    },
  },
  'tools.parallel': {
    title: 'Several calls of one answer keep their order, their arguments and ids of their own',
    why: 'Calls were merged, overwritten by the last one, or shared an id.',
    needs: ['parallelToolCalls'],
    async run(bench) {
      const provider = await bench.provider({
        callTools: [
          { name: 'weather', arguments: { city: 'Oslo' } },
          { name: 'now' },
          { name: 'weather', arguments: { city: 'Rome' } },
        ],
      });
      const { toolCalls } = (await provider.ask({ tools: TOOLS })).message;

      const calls = toolCalls.map((call) => [call.name, JSON.parse(call.argumentsJson)]);
      same(
        calls,
        [
          ['weather', { city: 'Oslo' }],
          ['now', {}],
          ['weather', { city: 'Rome' }],
        ],
        'calls',
      );
      same(new Set(toolCalls.map((call) => call.id)).size, 3, 'different ids');
    },
  },
  'tools.ids-unique': {
    title: 'Ids are unique within an answer and over rounds, also where the provider doubles or omits them',
    why: 'Two calls under one id get one result; the other is never answered.',
    async run(bench) {
      const twice = { callTools: [{ name: 'now' }, { name: 'now' }] };
      const doubled = {
        callTools: [
          { id: 'same00001', name: 'now' },
          { id: 'same00001', name: 'now' },
        ],
      };
      const provider = await bench.provider(twice, twice, doubled);
      const first = await provider.ask({ messages: [user('Hi')], tools: TOOLS });
      const results = first.message.toolCalls.map((call) => result(call.id, 'now', 'noon'));
      const second = await provider.ask({ messages: [user('Hi'), first.message, ...results], tools: TOOLS });
      const last = await provider.ask({ tools: TOOLS });

      const ids = [first, second].flatMap(({ message }) => message.toolCalls.map((call) => call.id));
      same([ids.length, new Set(ids).size], [4, 4], 'calls and different ids over two rounds');
      // A stream may not tell a doubled id from a call that goes on; two calls, if two there are, must differ.
      const own = last.message.toolCalls.map((call) => call.id);
      same(new Set(own).size, own.length, 'different ids in an answer that doubles one');
    },
  },
  'tools.no-arguments': {
    title: "A call without arguments has '{}', not '', 'null' or 'undefined'",
    why: 'Parameterless calls come back as "", null or nothing at all, and clients failed to parse them.',
    async run(bench) {
      const provider = await bench.provider(
        { callTools: [{ name: 'now' }] },
        { callTools: [{ name: 'now', arguments: {} }] },
      );
      const missing = await provider.ask({ tools: [NOW] });
      const empty = await provider.ask({ tools: [NOW] });

      same(missing.message.toolCalls[0]?.argumentsJson, '{}', 'arguments of a call without any');
      same(empty.message.toolCalls[0]?.argumentsJson, '{}', 'arguments of a call with an empty object');
    },
  },
  'tools.blank-arguments': {
    title: "Arguments written as an empty text are '{}'",
    why: 'OpenAI-compatible hosts write "" for a call without arguments.',
    needs: ['wire argumentsText'],
    async run(bench) {
      const provider = await bench.provider({ callTools: [{ name: 'now', arguments: '' }] });
      const { message } = await provider.ask({ tools: [NOW] });

      same(message.toolCalls[0]?.argumentsJson, '{}', 'arguments');
    },
  },
  'tools.malformed-arguments': {
    title: 'Broken arguments are handed over as the model wrote them, beside the good call',
    why: 'A parse error in the adapter loses the whole answer; the loop can tell the model instead.',
    needs: ['wire argumentsText'],
    async run(bench) {
      const provider = await bench.provider({
        callTools: [
          { id: ID_1, name: 'weather', arguments: '{"city": "Os' },
          { id: ID_2, name: 'weather', arguments: '{"city": "Rome"}' },
        ],
      });
      const { toolCalls } = (await provider.ask({ tools: TOOLS })).message;

      same(
        toolCalls.map((call) => call.argumentsJson),
        ['{"city": "Os', '{"city": "Rome"}'],
        'arguments',
      );
    },
  },
  'tools.replay-arguments': {
    title: 'Arguments go back as a JSON object, whatever the model had written',
    why: 'Replaying "" or broken JSON makes the provider refuse every later request of the conversation.',
    async run(bench) {
      const written = ['{"city":"Oslo"}', '{}', '', 'null', '{"city": "Os', '[1]'];
      const provider = await bench.provider(...written.map(() => ({ say: 'Ok.' })));
      for (const text of written) {
        await provider.ask({
          messages: [user('Hi'), assistant('', [ID_1, 'weather', text]), result(ID_1, 'weather', 'no')],
          tools: TOOLS,
        });
      }

      const sent = written.map((_, index) => callsSeen(provider, index)[0]?.arguments);
      same(sent, [{ city: 'Oslo' }, {}, {}, {}, {}, {}], 'arguments sent back');
    },
  },
  'tools.parameterless': {
    title: 'A tool without parameters is offered in a form the provider takes',
    why: 'An empty list, null or a missing object schema as parameters is refused.',
    async run(bench) {
      const provider = await bench.provider({ callTools: [{ name: 'now' }] });
      await provider.ask({ tools: [NOW] });

      const { parameters } = provider.seen().tools[0]!;
      const schema = (parameters ?? { type: 'object' }) as { type?: unknown; properties?: unknown };
      same(String(schema.type).toLowerCase(), 'object', 'type of the parameters');
      same(schema.properties ?? {}, {}, 'properties');
    },
  },
  'tools.schema-names': {
    title: "A user's own property names survive, also when they look like schema keywords",
    why: 'Schema cleaners deleted properties that were called format, default, title or type.',
    async run(bench) {
      const names = [
        'format',
        'default',
        'title',
        'type',
        'properties',
        'required',
        'additionalProperties',
        'exclusiveMinimum',
      ];
      const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]));
      const tool = {
        name: 'odd',
        description: 'Odd names',
        parameters: { type: 'object', properties, required: names },
      };
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({ tools: [tool] });

      const sent = provider.seen().tools[0]!.parameters as { properties?: object; required?: unknown };
      same(Object.keys(sent.properties ?? {}), names, 'properties');
      same(sent.required, names, 'required');
    },
  },
  'tools.round-trip': {
    title: 'Calls and their results go back in order, paired, in the one shape the provider takes',
    why: 'Results in separate turns, in completion order or under the wrong id are refused, or mixed up in silence.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Snow in Oslo, sun in Rome.' });
      const response = await provider.ask({ messages: CONVERSATION, tools: TOOLS });

      same(response.message.content, 'Snow in Oslo, sun in Rome.', 'content');
      same(
        provider.seen().messages.map((message) => message.role),
        ['user', 'assistant', 'tool', 'tool'],
        'roles',
      );
      const calls = callsSeen(provider);
      same(
        calls.map((call) => [call.name, call.arguments]),
        [
          ['weather', { city: 'Oslo' }],
          ['weather', { city: 'Rome' }],
        ],
        'calls',
      );
      same(
        resultsSeen(provider).map((one) => one.text),
        ['snow', 'sun'],
        'results',
      );
      if (bench.wire.can.callIds)
        same(
          resultsSeen(provider).map((one) => one.callId),
          calls.map((call) => call.id),
          'ids of calls and results',
        );
    },
  },
  'tools.out-of-order': {
    title:
      'Results of one tool called twice stay with their calls when the transcript lists them the other way round',
    why: 'Pairing by name or position gives Rome the weather of Oslo.',
    needs: ['wire callIds'],
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      const [systemText, question, calling, first, second] = CONVERSATION;
      await provider.ask({ messages: [systemText!, question!, calling!, second!, first!], tools: TOOLS });

      const textOf = (city: string) => {
        const call = callsSeen(provider).find((one) => (one.arguments as { city?: string }).city === city);
        return resultsSeen(provider).find((one) => one.callId === call?.id)?.text;
      };
      same([textOf('Oslo'), textOf('Rome')], ['snow', 'sun'], 'results of Oslo and Rome');
    },
  },
  'tools.error-result': {
    title: 'The text of an error result reaches the model, with the flag where the format has one',
    why: 'A failed tool that looks like a success is worse than one that is missing.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Sorry.' });
      await provider.ask({
        messages: [
          user('Hi'),
          assistant('', [ID_1, 'weather', '{"city":"X"}']),
          result(ID_1, 'weather', 'no such city', true),
        ],
        tools: TOOLS,
      });

      const [sent] = resultsSeen(provider);
      holds(sent?.text.includes('no such city'), `the error text is missing: ${JSON.stringify(sent)}`);
      if (bench.wire.can.errorResults) same(sent?.isError, true, 'error flag');
    },
  },
  'tools.empty-result': {
    title: 'An empty result is still a result',
    why: 'Filtering blank content left a call unanswered, and the provider refused the conversation.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [user('Hi'), assistant('', [ID_1, 'now', '{}']), result(ID_1, 'now', '')],
        tools: [NOW],
      });

      same(resultsSeen(provider).length, 1, 'results sent');
    },
  },
  'tools.foreign-ids': {
    title: 'A transcript begun with another adapter goes on here: its ids are adapted, and still pair',
    why: 'Providers that are strict about ids refuse those of another one.',
    async run(bench) {
      const ids = ['toolu_01A/with:odd chars.and-a-length-beyond-forty-characters', 'fc_68b1f0'] as const;
      const provider = await bench.provider({ say: 'Ok.' });
      await provider.ask({
        messages: [
          user('Hi'),
          assistant('', [ids[0], 'weather', '{"city":"Oslo"}'], [ids[1], 'now', '{}']),
          result(ids[0], 'weather', 'snow'),
          result(ids[1], 'now', 'noon'),
        ],
        tools: TOOLS,
      });

      same(
        resultsSeen(provider).map((one) => one.text),
        ['snow', 'noon'],
        'results',
      );
      if (!bench.wire.can.callIds) return;
      const sent = callsSeen(provider).map((call) => call.id);
      same(new Set(sent).size, 2, 'different ids');
      same(
        resultsSeen(provider).map((one) => one.callId),
        sent,
        'ids of results',
      );
    },
  },
  'tools.not-offered-anymore': {
    title: 'A closing request without tools still carries the calls and results of before',
    why: 'The last request of a capped run offers no tools; its history must not be dropped or refused by the adapter.',
    async run(bench) {
      const provider = await bench.provider({ say: 'Done.' });
      const response = await provider.ask({ messages: CONVERSATION, tools: [] });

      same(response.message.content, 'Done.', 'content');
      holds(provider.exchange(0).request.bodyText.includes('snow'), 'the results are not in the request');
    },
  },
});
