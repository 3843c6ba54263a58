import type { ComponentChildren } from 'preact';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { endOf, startOf, wallTime } from '../trace/measure.ts';
import type { StepSummary } from '../trace/step-summary.ts';
import { useStore } from '../ui/context.ts';
import { Section, StepLink, tokensPerSecond } from './parts.tsx';

/** The bar of the waterfall as a table. */
export function Timing({ step }: { step: StepSummary }) {
  const store = useStore();
  const wall = wallTime(store).total;
  const rate = tokensPerSecond(step);
  const rows: (readonly [string, ComponentChildren])[] = [
    [t('timing.start'), format.duration(startOf(store, step))],
    [t('timing.end'), format.duration(endOf(store, step))],
    [t('timing.at'), format.date(step.at)],
  ];
  if (step.durationMs !== undefined) {
    rows.push(
      [t('timing.duration'), format.duration(step.durationMs)],
      [t('timing.share'), wall > 0 ? format.percent(Math.min(1, step.durationMs / wall)) : format.UNKNOWN],
    );
  }
  if (step.kind === 'response') {
    rows.push(
      [
        t('timing.firstToken'),
        step.firstTokenMs === undefined ? t('absent.notStreamed') : format.duration(step.firstTokenMs),
      ],
      [
        t('timing.generating'),
        step.firstTokenMs === undefined
          ? t('absent.notStreamed')
          : format.duration((step.durationMs ?? 0) - step.firstTokenMs),
      ],
      [t('timing.rate'), rate === undefined ? format.UNKNOWN : t('timing.perSecond', { n: rate })],
    );
  }
  return (
    <>
      <table class="data facts-table">
        <tbody>
          {rows.map(([name, value]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="number">{value}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {(step.kind === 'response' || step.kind === 'error' || step.kind === 'request') && (
        <Attempts round={step.round} />
      )}
    </>
  );
}

/** All tries of one round: what failed, and how long was waited before the next. */
export function Attempts({ round }: { round: number }) {
  const store = useStore();
  const steps = (store.rounds.get(round)?.steps ?? []).map((index) => store.steps[index]!);
  const tries = steps.filter((step) => step.kind === 'response' || step.kind === 'error');
  return (
    <Section
      title={t('attempts')}
      note={tries.length === 1 && tries[0]?.kind === 'response' ? t('attempts.one') : undefined}
    >
      <table class="data">
        <thead>
          <tr>
            <th scope="col">{t('attempts.number')}</th>
            <th scope="col">{t('attempts.outcome')}</th>
            <th scope="col">{t('timing.duration')}</th>
            <th scope="col">{t('attempts.wait')}</th>
          </tr>
        </thead>
        <tbody>
          {tries.map((step, index) => (
            <tr key={step.index}>
              <td>
                <StepLink index={step.index}>{index + 1}</StepLink>
              </td>
              <td>
                <code>{step.kind === 'error' ? step.code : step.finishReason}</code>
              </td>
              <td class="number">{format.duration(step.durationMs)}</td>
              <td class="number">
                {step.retryInMs === undefined ? format.UNKNOWN : format.duration(step.retryInMs)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
