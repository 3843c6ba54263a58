/** What a user types: install core and an adapter into an empty folder, with each package manager, and run a program. */

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOffline, NPM_INSTALL, packedPackages, pnpm, run } from './testing/packed.ts';

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'glassloop-install-')));
let server: Server;
let tarballs: ReadonlyMap<string, string>;

/** A model that asks for the clock, then answers with what it was told. */
const reply = (body: string) => {
  const said = /"role":"tool","tool_call_id":"c1","content":"([^"]*)"/.exec(body)?.[1];
  const message =
    said === undefined
      ? {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
        }
      : { role: 'assistant', content: `It is ${said}.` };
  return JSON.stringify({
    id: 'x',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: said === undefined ? 'tool_calls' : 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  });
};

const program = (load: string) => `${load}
const clock = defineTool({ name: 'clock', description: 'The time.', execute: () => 'noon' });
const adapter = openai({ model: 'm', apiKey: 'k', baseURL: process.argv[2] });
runLoop({ adapter, messages: [{ role: 'user', content: 'What time is it?' }], tools: [clock] }).then(
  ({ content, stopReason }) => console.log(content, stopReason),
);
`;

beforeAll(async () => {
  tarballs = await packedPackages();
  server = createServer(async (message, response) => {
    const parts: Buffer[] = [];
    for await (const part of message) parts.push(part);
    response.setHeader('content-type', 'application/json');
    response.end(reply(Buffer.concat(parts).toString()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

const [pnpmCommand, ...pnpmArgs] = pnpm();
const MANAGERS: Readonly<Record<string, readonly string[]>> = {
  npm: ['npm', ...NPM_INSTALL],
  pnpm: [pnpmCommand!, ...pnpmArgs, 'install', '--prefer-offline', '--ignore-workspace'],
  yarn: ['npx', '-y', 'yarn@1.22.22', 'install', '--prefer-offline', '--non-interactive'],
};

describe.each(Object.keys(MANAGERS))('%s', (manager) => {
  it('installs core and openai, and both ESM and CJS programs run', async ({ skip }) => {
    const cwd = join(folder, manager);
    mkdirSync(cwd);
    const file = (name: string) => `file:${tarballs.get(name)}`;
    const dependencies = {
      '@glassloop/core': file('@glassloop/core'),
      '@glassloop/openai': file('@glassloop/openai'),
    };
    // openai 7 asks for Node 22; yarn 1 alone takes that for an error, and is told the other version that will do.
    const needsOlder = manager === 'yarn' && Number(process.versions.node.split('.')[0]) < 22;
    const resolutions = needsOlder ? { openai: '^6.49.0' } : {};
    writeFileSync(
      join(cwd, 'package.json'),
      JSON.stringify({ name: 'empty', version: '1.0.0', dependencies, resolutions }),
    );
    const [command, ...args] = MANAGERS[manager]!;
    const { exitCode, output } = await run(command!, args, { cwd });
    if (isOffline(output)) skip('no registry to install from');
    expect(exitCode, output).toBe(0);
    // A warning of npm's about peers would be a user's first impression.
    expect(output).not.toMatch(/ERESOLVE|unmet peer|incorrect peer|missing peer/i);

    writeFileSync(
      join(cwd, 'program.mjs'),
      program(
        `import { defineTool, runLoop } from '@glassloop/core';\nimport { openai } from '@glassloop/openai';`,
      ),
    );
    writeFileSync(
      join(cwd, 'program.cjs'),
      program(
        `const { defineTool, runLoop } = require('@glassloop/core');\nconst { openai } = require('@glassloop/openai');`,
      ),
    );
    const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    for (const script of ['program.mjs', 'program.cjs']) {
      const ran = await run(process.execPath, ['--no-warnings=ExperimentalWarning', script, baseURL], {
        cwd,
      });
      expect(ran.output).toBe('It is noon. completed\n');
    }
  });
});
