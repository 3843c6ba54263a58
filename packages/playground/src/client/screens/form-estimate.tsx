import { useSignal, useSignalEffect } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { AssembleAnswer } from '../../protocol.ts';
import { api } from '../api.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { messageOf } from '../ui/context.ts';
import type { FormState } from './form-state.ts';

const WAIT_MS = 400;

/** What the first send would be, asked of the server a moment after the last change. An estimate, and said to be one. */
export function Estimate({ form }: { form: FormState }) {
  const answer = useSignal<AssembleAnswer | undefined>(undefined);
  const fault = useSignal<string | undefined>(undefined);
  const stop = useRef<AbortController | undefined>(undefined);
  useSignalEffect(() => {
    const request = form.request.value;
    stop.current?.abort();
    const controller = new AbortController();
    stop.current = controller;
    if (request.prompt === '' && request.messages === undefined) {
      answer.value = undefined;
      fault.value = undefined;
      return;
    }
    const timer = setTimeout(async () => {
      try {
        const assembled = await api.assemble(request, controller.signal);
        if (controller.signal.aborted) return;
        answer.value = assembled;
        fault.value = undefined;
      } catch (error) {
        if (controller.signal.aborted) return;
        answer.value = undefined;
        fault.value = messageOf(error);
      }
    }, WAIT_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  });
  if (fault.value !== undefined) return <span class="estimate error-text">{fault.value}</span>;
  const estimate = answer.value?.estimate;
  if (estimate === undefined) return <span class="estimate muted">{t('estimate.none')}</span>;
  const dropped = answer.value?.dropped.length ?? 0;
  return (
    <span class="estimate">
      {t('estimate.tokens', { n: estimate.tokens })}
      {estimate.contextWindow !== undefined && ` ${t('estimate.of', { n: estimate.contextWindow })}`}
      {estimate.cost !== undefined && ` · ≈ ${format.cost(estimate.cost)}`}
      {dropped > 0 && ` · ${t('dropped.count', { n: dropped })}`}
    </span>
  );
}
