import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { useUsualWait } from '../inspector/usual-wait.ts';
import { waitingSince } from '../trace/measure.ts';
import type { RunningCall } from '../trace/trace-store.ts';
import { useInspection, useStore } from '../ui/context.ts';
import { Heading } from '../ui/heading.tsx';
import { Icon } from '../ui/icon.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { Absent, Section } from './parts.tsx';
import type { Tab } from './tab.ts';

/** What is not a step yet: an answer that is being received, a tool that runs. */
export function waitingTabs(round: number): readonly Tab[] {
  return [{ id: 'structured', label: t('tab.structured'), view: () => <Waiting round={round} /> }];
}

export function runningTabs(call: RunningCall): readonly Tab[] {
  return [{ id: 'structured', label: t('tab.structured'), view: () => <Running call={call} /> }];
}

const SHOWN = 60_000;

/** Plain text while it grows; markdown is made once, when the step is whole. */
function Waiting({ round }: { round: number }) {
  const { open } = useStore();
  if (open?.round !== round) return <Nothing />;
  return (
    <>
      {open.thinking !== '' && (
        <Section title={t('tab.thinking')}>
          <div class="text-block streaming thinking-text" dir="auto">
            <VisibleText text={open.thinking.slice(-SHOWN)} />
          </div>
        </Section>
      )}
      {open.text !== '' && (
        <Section title={t('response.text')}>
          <div class="prose plain streaming" dir="auto">
            <VisibleText text={open.text.slice(-SHOWN)} />
          </div>
        </Section>
      )}
      {open.calls.length > 0 && (
        <Section title={t('response.calls')}>
          {open.calls.map((call, index) => (
            <article key={index} class="card call">
              <header>
                <Icon name="tool" />
                <Heading>
                  <VisibleText text={call.name ?? t('waiting.unnamed')} />
                </Heading>
              </header>
              <div class="text-block streaming">
                <VisibleText text={call.args.slice(-SHOWN)} />
              </div>
            </article>
          ))}
        </Section>
      )}
    </>
  );
}

function Nothing() {
  const inspection = useInspection();
  inspection.clock.value;
  const since = waitingSince(inspection.store);
  const usual = useUsualWait(since === undefined ? 0 : inspection.store.serverNow() - since);
  return (
    <Absent>
      {t('waiting.nothing')} {usual}
    </Absent>
  );
}

function Running({ call }: { call: RunningCall }) {
  const inspection = useInspection();
  inspection.clock.value;
  const { store } = inspection;
  const response = store.rounds.get(call.round)?.response;
  const args =
    response === undefined
      ? undefined
      : store.steps[response]?.calls?.find((one) => one.id === call.callId)?.args;
  return (
    <>
      <p class="notice">
        <Icon name="waiting" />
        <span>{t('running.since', { time: format.duration(store.serverNow() - call.since) })}</span>
      </p>
      {args !== undefined && (
        <Section title={t('tab.arguments')}>
          <div class="text-block">
            <VisibleText text={args} />
          </div>
        </Section>
      )}
    </>
  );
}
