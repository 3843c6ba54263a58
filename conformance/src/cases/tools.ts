import { bothModes } from '../case.ts';
import { holds, same } from '../check.ts';
import { ID_1, ID_2, NOW, result, TOOLS, user } from '../fixtures.ts';

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
});
