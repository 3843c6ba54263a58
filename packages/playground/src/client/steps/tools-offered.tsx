import type { ToolSpec } from '@glassloop/core';
import { t } from '../i18n/index.ts';
import { useStep, useStore } from '../ui/context.ts';
import { JsonTree } from '../ui/json-tree.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { Absent, Warnings } from './parts.tsx';

/** The tools of a request, as the model was shown them, and what the adapter will change about them. */
export function ToolsOffered({ names }: { names: readonly string[] }) {
  const store = useStore();
  const assembledAt = store.steps.find((step) => step.kind === 'assembled')?.index;
  const assembled = useStep(assembledAt);
  if (names.length === 0) return <Absent>{t('tools.none')}</Absent>;
  const tools = assembled?.kind === 'assembled' ? assembled.tools : [];
  return (
    <>
      <ToolSpecs
        tools={names.map(
          (name) => tools.find((tool) => tool.name === name) ?? { name, description: '', parameters: {} },
        )}
      />
      {assembled?.kind === 'assembled' && <Warnings warnings={assembled.warnings} />}
    </>
  );
}

export function ToolSpecs({ tools }: { tools: readonly ToolSpec[] }) {
  return (
    <ul class="plain-list tools">
      {tools.map((tool) => (
        <li key={tool.name} class="card">
          <details>
            <summary>
              <code>
                <VisibleText text={tool.name} />
              </code>
              <span class="summary-text">
                <VisibleText text={tool.description} />
              </span>
            </summary>
            <p class="tool-text" dir="auto">
              <VisibleText text={tool.description} />
            </p>
            <JsonTree value={tool.parameters} label={t('tools.schema', { name: tool.name })} />
          </details>
        </li>
      ))}
    </ul>
  );
}
