/** What every request keeps to that offers tools, or none. */

import { expect, it } from 'vitest';
import type { ScriptedTurn } from '../../packages/simulator/src/index.ts';
import { asking, type Scripted, tool } from './provider.ts';

/** For adapters whose tools are those of chat completions. `ok` is any answer. */
export function describeToolsInRequests(scripted: Scripted, ok: ScriptedTurn): void {
  it('C037 without tools no tool field is sent', async () => {
    const { adapter, body } = await scripted([ok]);
    await adapter.chat(asking({ options: { toolChoice: 'required', parallelToolCalls: false } }));
    expect(Object.keys(body())).toEqual(['model', 'messages', 'stream']);
  });

  it('C040 a tool without parameters has an object schema', async () => {
    const { adapter, body } = await scripted([ok]);
    await adapter.chat(asking({ tools: [tool('now')] }));
    const parameters = { type: 'object', properties: {} };
    expect(body().tools).toEqual([
      { type: 'function', function: { name: 'now', description: 'The tool now.', parameters } },
    ]);
  });
}
