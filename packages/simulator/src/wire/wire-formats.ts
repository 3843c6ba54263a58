import { anthropicMessages } from './anthropic-messages.ts';
import { googleGenerateContent } from './google-generate-content.ts';
import { groqChat } from './groq-chat.ts';
import { mistralChat } from './mistral-chat.ts';
import { ollamaChat } from './ollama-chat.ts';
import { openaiChat } from './openai-chat.ts';
import { openrouterChat } from './openrouter-chat.ts';
import type { WireFormat } from './wire-format.ts';

/** The wire format that each adapter speaks, by the adapter's name. */
export const wireFormats = {
  openai: openaiChat,
  anthropic: anthropicMessages,
  google: googleGenerateContent,
  mistral: mistralChat,
  ollama: ollamaChat,
  groq: groqChat,
  openrouter: openrouterChat,
} as const satisfies { readonly [adapter: string]: WireFormat };
