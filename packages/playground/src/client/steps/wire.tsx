import type { Message, RunStep } from '@glassloop/core';
import { t } from '../i18n/index.ts';
import { useLoaded, useStep, useStore } from '../ui/context.ts';
import { CopyButton } from '../ui/copy.tsx';
import { JsonTree } from '../ui/json-tree.tsx';
import { isBlobRef, Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { NotCaptured, Section } from './parts.tsx';

export interface WireRequest {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What was sent in the neutral form, beside what the provider was really sent. */
export function Wire({ index }: { index: number }) {
  const store = useStore();
  const request = useStep(index);
  const summary = store.steps[index];
  const messages = useLoaded<readonly Message[]>(() => store.messagesSent(index), [store, index]).value;
  const answer = store.steps
    .slice(index + 1)
    .find((step) => step.round === summary?.round && (step.kind === 'response' || step.kind === 'error'));
  const wire = wireOf(useStep(answer?.index));
  const settings = useStep(store.steps.find((step) => step.kind === 'assembled')?.index);
  const canonical = {
    messages,
    tools: request?.kind === 'request' ? request.toolsOffered : [],
    options: settings?.kind === 'assembled' ? settings.settings.options : {},
  };
  return (
    <div class="beside">
      <Section title={t('wire.canonical')}>
        <JsonTree key={messages?.length ?? -1} value={canonical} label={t('wire.canonical')} />
      </Section>
      <Section title={t('wire.provider')}>
        {wire === undefined ? (
          <NotCaptured />
        ) : (
          <>
            <div class="block-head">
              <code class="address">
                {wire.method} <VisibleText text={wire.url ?? ''} />
              </code>
              <span class="spacer" />
              <CopyButton
                text={() => curlOf(wire, providerOf(settings))}
                label={t('copy.curl')}
                icon="copy"
                shows
              />
            </div>
            <Payload value={wire.body} label={t('wire.body')} />
            <details class="fold">
              <summary>{t('wire.headers')}</summary>
              <JsonTree value={wire.headers ?? {}} label={t('wire.headers')} />
            </details>
          </>
        )}
      </Section>
    </div>
  );
}

function wireOf(step: RunStep | undefined): WireRequest | undefined {
  if (step?.kind !== 'response' && step?.kind !== 'error') return undefined;
  const wire = step.metadata?.['_wire'];
  return typeof wire === 'object' && wire !== null && !isBlobRef(wire) ? (wire as WireRequest) : undefined;
}

function providerOf(step: RunStep | undefined): string {
  return step?.kind === 'assembled' ? step.settings.adapter : 'provider';
}

/** The request as a command; the key is the name of its variable, never a value. */
function curlOf(wire: WireRequest, provider: string): string {
  const quote = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const variable = `$${provider.toUpperCase().replace(/[^A-Z0-9]/g, '_')}_API_KEY`;
  const keyHeader =
    provider === 'anthropic'
      ? 'x-api-key: '
      : provider === 'google'
        ? 'x-goog-api-key: '
        : 'authorization: Bearer ';
  const headers = Object.entries(wire.headers ?? {})
    .filter(([name]) => !/^(authorization|x-api-key|x-goog-api-key|api-key|content-length|host)$/i.test(name))
    .map(([name, value]) => `-H ${quote(`${name}: ${String(value)}`)}`);
  const body = typeof wire.body === 'string' ? wire.body : JSON.stringify(wire.body ?? {});
  return [
    `curl -X ${wire.method ?? 'POST'} ${quote(wire.url ?? '')}`,
    `-H "${keyHeader}${variable}"`,
    ...headers,
    `--data-raw ${quote(body)}`,
  ].join(' \\\n  ');
}
