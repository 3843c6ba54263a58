import { describeAdapter } from '@glassloop/conformance';
import { ollamaChat } from '@glassloop/simulator';
import { ollama } from '../src/index.ts';

describeAdapter('ollama', {
  wire: ollamaChat,
  create: (settings) => ollama({ model: 'qwen3:8b', ...settings }),
});
