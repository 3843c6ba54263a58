import type { Adapter } from '@glassloop/core';
import {
  anthropicMessages,
  demoModel,
  googleGenerateContent,
  groqChat,
  mistralChat,
  ollamaChat,
  openaiChat,
  openrouterChat,
  startSimulator,
  type WireFormat,
} from '@glassloop/simulator';
import type { AdapterFactory, KnownAdapter } from './adapters.ts';

/** What each adapter's SDK talks to. */
const WIRES: { readonly [adapter: string]: WireFormat } = {
  openai: openaiChat,
  anthropic: anthropicMessages,
  google: googleGenerateContent,
  mistral: mistralChat,
  ollama: ollamaChat,
  groq: groqChat,
  openrouter: openrouterChat,
};

export interface DemoModel {
  readonly adapter: Adapter;
  /** Where it answers. */
  readonly origin: string;
  close(): Promise<void>;
}

/** Starts the demo model behind the wire format of an adapter. */
export async function startDemoModel(
  { name }: KnownAdapter,
  create: AdapterFactory,
  model = 'demo-model',
): Promise<DemoModel> {
  const simulator = await startSimulator({ wire: WIRES[name]!, respond: demoModel });
  try {
    const adapter = create({ model, baseURL: simulator.baseURL, apiKey: 'no-key-needed' });
    return { adapter, origin: simulator.origin, close: () => simulator.close({ force: true }) };
  } catch (error) {
    await simulator.close({ force: true });
    throw error;
  }
}
