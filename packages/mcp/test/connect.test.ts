import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Adapter, runLoop, TOOL_NAME, type Tool, type ToolContext } from '@glassloop/core';
import { afterEach, describe, expect, it } from 'vitest';
import {
  connectMcp,
  type McpConnection,
  type McpOptions,
  type McpServer,
  variablesIn,
} from '../src/index.ts';

const OFFICIAL = fileURLToPath(new URL('servers/official.mjs', import.meta.url));
const ODD = fileURLToPath(new URL('servers/odd.mjs', import.meta.url));
const official: McpServer = { command: process.execPath, args: [OFFICIAL] };
const odd = (...args: string[]): McpServer => ({ command: process.execPath, args: [ODD, ...args] });

const leftovers: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of leftovers.splice(0)) await clean();
});

async function connected(
  servers: { readonly [name: string]: McpServer },
  options?: McpOptions,
): Promise<McpConnection> {
  const connection = await connectMcp(servers, options);
  leftovers.push(() => connection.close());
  return connection;
}

const context = (signal = new AbortController().signal): ToolContext => ({
  toolCallId: 'c1',
  round: 1,
  signal,
});

function toolOf({ tools }: McpConnection, name: string): Tool {
  const tool = tools.find((one) => one.name === name);
  expect(tool, `${name} among ${tools.map((one) => one.name).join(', ')}`).toBeDefined();
  return tool!;
}

const call = async (connection: McpConnection, name: string, input: unknown = {}): Promise<unknown> =>
  toolOf(connection, name).execute(input, context());

async function until(condition: () => boolean): Promise<void> {
  for (let waited = 0; waited < 5000 && !condition(); waited += 20) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  expect(condition()).toBe(true);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Starts the official server behind HTTP; its output grows. */
async function httpServer(): Promise<{ readonly url: string; readonly output: () => string; kill(): void }> {
  const child = spawn(process.execPath, [OFFICIAL, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] });
  leftovers.push(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await until(() => /^\d+\n/.test(output));
  return {
    url: `http://127.0.0.1:${Number.parseInt(output, 10)}/mcp`,
    output: () => output,
    kill: () => child.kill('SIGKILL'),
  };
}

describe('a stdio server of the official SDK', () => {
  it('is offered under safe and unique names', async () => {
    const { tools, dropped } = await connected({ official });
    expect(tools.map((tool) => tool.name)).toEqual([
      'official__add',
      'official__mixed',
      'official__structured',
      'official__refuses',
      'official__hangs',
      'official__dies',
      'official__environment',
      'official__dotted_name__',
    ]);
    for (const tool of tools) expect(tool.name).toMatch(TOOL_NAME);
    expect(tools[0]).toMatchObject({
      description: 'Adds two numbers',
      parameters: { type: 'object', required: ['a', 'b'] },
    });
    expect(dropped).toEqual([]);
  });

  it('answers calls, also those of a renamed tool', async () => {
    const connection = await connected({ official });
    expect(await call(connection, 'official__add', { a: 2, b: 3 })).toBe('5');
    expect(await call(connection, 'official__dotted_name__')).toBe('here');
  });

  it('turns every kind of content into text and says what was left out', async () => {
    const connection = await connected({ official });
    expect(await call(connection, 'official__mixed')).toBe(
      [
        'a picture:',
        '[image, image/png, 70 bytes: left out, it is no text]',
        '[resource file:///a.txt]\ninside a.txt',
        '[resource file:///a.bin, application/octet-stream, 3 bytes: left out, it is no text]',
        '[link to a resource: b, file:///b.txt]',
      ].join('\n\n'),
    );
    expect(await call(connection, 'official__structured')).toBe('{"celsius":21}');
  });

  it('makes isError, refused arguments and a spent budget errors that the model is told', async () => {
    const connection = await connected({ official: { ...official, maxCalls: 2 } });
    await expect(call(connection, 'official__refuses')).rejects.toMatchObject({
      name: 'ToolError',
      message: 'no such ticket',
    });
    await expect(call(connection, 'official__add', { a: 'x' })).rejects.toMatchObject({ name: 'ToolError' });
    await expect(call(connection, 'official__add', { a: 1, b: 1 })).rejects.toThrow(
      'The MCP server "official" may be called 2 times, and that is used up.',
    );
  });

  it('is given up on after the deadline of a call, and goes on answering others', async () => {
    const connection = await connected({ official: { ...official, timeoutMs: 200 } });
    await expect(call(connection, 'official__hangs')).rejects.toThrow(
      'The MCP server "official" did not answer within 200 ms.',
    );
    expect(await call(connection, 'official__add', { a: 1, b: 1 })).toBe('2');
  });

  it('that dies is an error result for this call and all later ones', async () => {
    const connection = await connected({ official });
    await expect(call(connection, 'official__dies')).rejects.toThrow(
      'The MCP server "official" has ended the connection.',
    );
    await expect(call(connection, 'official__add', { a: 1, b: 1 })).rejects.toMatchObject({
      name: 'ToolError',
    });
  });

  it('has its call cancelled when the run is aborted', async () => {
    const connection = await connected({ official });
    const controller = new AbortController();
    const running = toolOf(connection, 'official__hangs').execute({}, context(controller.signal));
    const reason = new Error('stop');
    setTimeout(() => controller.abort(reason), 50);
    await expect(running).rejects.toBe(reason);
  });

  it('inherits no keys, and gets the variables it names', async () => {
    const env = { PATH: process.env['PATH'], OPENAI_API_KEY: 'secret', TOKEN: 'abc' };
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a server names a variable.
    const server = { ...official, env: { TICKETS: '${TOKEN}${TOKEN}' } };
    const connection = await connected({ official: server }, { env });
    const seen = JSON.parse(String(await call(connection, 'official__environment')));
    expect(seen).toMatchObject({ TICKETS: 6 });
    expect(Object.keys(seen)).not.toContain('OPENAI_API_KEY');
    expect(variablesIn(server)).toEqual(['TOKEN']);
  });

  it('offers only the tools that were picked, and reports those it does not have', async () => {
    const { tools, dropped } = await connected({ official: { ...official, tools: ['add', 'subtract'] } });
    expect(tools.map((tool) => tool.name)).toEqual(['official__add']);
    expect(dropped).toMatchObject([{ kind: 'tool', id: 'official__subtract', reason: 'not_found' }]);
  });

  it('works in a run, and its death there is a result like any other', async () => {
    const { tools } = await connected({ official });
    const seen: string[] = [];
    const calls = ['official__add', 'official__dies', 'official__add'];
    const adapter: Adapter = {
      name: 'scripted',
      model: 'none',
      capabilities: {
        streaming: false,
        parallelToolCalls: true,
        requiredToolChoice: true,
        thinking: false,
        images: false,
        cost: false,
      },
      async chat({ messages }) {
        const last = messages.at(-1)!;
        if (last.role === 'tool') seen.push(`${last.isError} ${last.content}`);
        const name = calls.shift();
        return {
          message: {
            role: 'assistant',
            content: name === undefined ? 'done' : '',
            toolCalls:
              name === undefined ? [] : [{ id: `c${calls.length}`, name, argumentsJson: '{"a":1,"b":2}' }],
          },
          finishReason: name === undefined ? 'stop' : 'tool_calls',
          usage: {},
        };
      },
    };
    const result = await runLoop({ adapter, tools, messages: [{ role: 'user', content: 'go' }] });
    expect(result).toMatchObject({ stopReason: 'completed', content: 'done' });
    expect(seen).toEqual([
      'false 3',
      'true The MCP server "official" has ended the connection.',
      expect.stringMatching(/^true The MCP server "official"/),
    ]);
  });
});

describe('a streamable HTTP server of the official SDK', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: the form in which a server names a variable.
  const headers = { authorization: 'Bearer ${TOKEN}' };

  it('is offered like a local one, and its session is ended', async () => {
    const { url, output } = await httpServer();
    const connection = await connected({ web: { url, headers } }, { env: { TOKEN: 'letmein' } });
    expect(await call(connection, 'web__add', { a: 20, b: 22 })).toBe('42');
    await connection.close();
    await until(() => output().includes('session ended'));
  });

  it('that hangs or goes away is an error result', async () => {
    const { url, kill } = await httpServer();
    const connection = await connected(
      { web: { url, headers, timeoutMs: 200 } },
      { env: { TOKEN: 'letmein' } },
    );
    await expect(call(connection, 'web__hangs')).rejects.toThrow('did not answer within 200 ms');
    kill();
    await expect(call(connection, 'web__add', { a: 1, b: 1 })).rejects.toThrow(
      /The MCP server "web" (could not be reached|did not answer)/,
    );
  });

  it('that refuses the key is left out, and the key is not told', async () => {
    const { url } = await httpServer();
    const { tools, dropped } = await connected(
      { web: { url, headers } },
      { env: { TOKEN: 'wrong-KEY-1234567' } },
    );
    expect(tools).toEqual([]);
    expect(dropped).toMatchObject([
      { id: 'web__*', reason: 'unreadable', detail: expect.stringContaining('401') },
    ]);
    expect(JSON.stringify(dropped)).not.toContain('wrong-KEY');
  });

  it('whose variable is not set is left out before anything is sent', async () => {
    const { dropped } = await connected({ web: { url: 'http://127.0.0.1:9/mcp', headers } }, { env: {} });
    expect(dropped[0]?.detail).toBe(
      'The MCP server "web" cannot be used: the environment variable TOKEN is not set.',
    );
  });
});

describe('a server that misbehaves', () => {
  it('keeps its usable tools: pages, noise, double and unusable entries, unknown content', async () => {
    const connection = await connected({ odd: odd('noisy') });
    expect(connection.tools.map((tool) => tool.name)).toEqual([
      'odd__fine',
      'odd__a_b',
      expect.stringMatching(/^odd__a_b_[0-9a-f]{6}$/),
      expect.stringMatching(/^odd__long-x+_[0-9a-f]{6}$/),
    ]);
    for (const { name } of connection.tools) expect(name).toMatch(TOOL_NAME);
    // Only one says that it changes nothing; another says something like it.
    expect(connection.tools.map((tool) => tool.effect)).toEqual(['reads', 'writes', 'writes', 'writes']);
    expect(connection.dropped.map(({ id, reason }) => `${id} ${reason}`)).toEqual([
      'odd__fine duplicate',
      'odd__list unreadable',
      'odd__ unreadable',
    ]);
    expect(await call(connection, 'odd__fine')).toBe(
      '[content of kind hologram: left out, it is no text]\n\nok',
    );
  });

  it.each([
    ['does not exist', { command: 'no-such-command-anywhere' }, 'there is no such command'],
    [
      'fails at once',
      odd('fails'),
      'its process ended, or the connection was closed. It said: cannot find my database',
    ],
    ['says nothing', { ...odd('silent'), startupMs: 300 }, 'it did not answer within 300 ms'],
    ['is nowhere', { url: 'http://127.0.0.1:1/mcp' }, 'the connection failed'],
  ])('that %s is left out, and the others stay', async (_, bad, why) => {
    const { tools, dropped } = await connected({ bad, official });
    expect(tools).toHaveLength(8);
    expect(dropped).toMatchObject([{ kind: 'tool', id: 'bad__*', reason: 'unreadable' }]);
    expect(dropped[0]?.detail).toContain(why);
  });

  it('is ended with everything it has started, though it ignores the end of its input and SIGTERM', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'glassloop-mcp-'));
    leftovers.push(() => rm(folder, { recursive: true, force: true }));
    const pidFile = join(folder, 'pids');
    const connection = await connected({ odd: odd('stubborn', pidFile) });
    await until(() => existsSync(pidFile));
    const pids: number[] = JSON.parse(await readFile(pidFile, 'utf8'));
    expect(pids.map(isAlive)).toEqual([true, true]);
    await connection.close();
    await until(() => !pids.some(isAlive));
    await expect(call(connection, 'odd__fine')).rejects.toMatchObject({ name: 'ToolError' });
  });

  it('does not outlast an aborted start', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'glassloop-mcp-'));
    leftovers.push(() => rm(folder, { recursive: true, force: true }));
    const controller = new AbortController();
    const reason = new Error('stop');
    setTimeout(() => controller.abort(reason), 100);
    await expect(connectMcp({ odd: odd('silent') }, { signal: controller.signal })).rejects.toBe(reason);
  });
});

it('refuses a server with both or neither of command and url, and avoids names that are taken', async () => {
  await expect(connectMcp({ x: {} })).rejects.toThrow('server "x" must have either command or url');
  await expect(connectMcp({ x: { command: 'a', url: 'http://b' } })).rejects.toThrow(TypeError);
  const { tools } = await connected(
    { official: { ...official, tools: ['add'] } },
    { taken: ['official__add'] },
  );
  expect(tools.map((tool) => tool.name)).toEqual([expect.stringMatching(/^official__add_[0-9a-f]{6}$/)]);
});
