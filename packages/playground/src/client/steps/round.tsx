import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import type { RoundRow } from '../trace/rows.ts';
import { MOST_RAW_CHARACTERS, type UnreadLine } from '../trace/unread.ts';
import { useStore } from '../ui/context.ts';
import { CopyButton } from '../ui/copy.tsx';
import { Icon } from '../ui/icon.tsx';
import { Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';
import { Absent, Facts, Section, StepLink } from './parts.tsx';
import { SentThisRound } from './request.tsx';
import type { Tab } from './tab.ts';

export function roundTabs(round: RoundRow): readonly Tab[] {
  return [{ id: 'structured', label: t('tab.structured'), view: () => <RoundView round={round} /> }];
}

function RoundView({ round }: { round: RoundRow }) {
  const store = useStore();
  const facts = store.rounds.get(round.round);
  return (
    <>
      <Facts
        facts={[
          [t('tokens.name'), format.count(round.tokens)],
          [t('timing.duration'), format.duration(round.end - round.start)],
          [t('toolCalls'), format.count(round.calls)],
          [t('failures'), format.count(round.failures)],
        ]}
      />
      {facts?.request !== undefined && <SentThisRound index={facts.request} />}
      <Section title={t('steps')}>
        <ul class="plain-list">
          {(facts?.steps ?? []).slice(0, 200).map((index) => (
            <li key={index}>
              <StepLink index={index} />
            </li>
          ))}
        </ul>
      </Section>
    </>
  );
}

/** A line that is no step this page knows: as it was written, and what is wrong with it. */
export function unreadTabs(line: UnreadLine): readonly Tab[] {
  const label = t('unread.line', { n: line.line });
  if (line.isRaw) {
    return [
      {
        id: 'structured',
        label: t('tab.raw'),
        view: () => (
          <>
            {line.text.length === MOST_RAW_CHARACTERS && (
              <Absent>{t('unread.cut', { n: line.text.length })}</Absent>
            )}
            <Payload value={line.text} label={label} />
          </>
        ),
      },
    ];
  }
  return [
    {
      id: 'structured',
      label: t('tab.structured'),
      view: () => (
        <>
          <p class="notice warn">
            <Icon name="unknown" />
            <span>{line.message}</span>
          </p>
          <Section title={label}>
            <div class="block-head">
              <span class="spacer" />
              <CopyButton text={() => line.text} label={t('copy')} />
            </div>
            <div class="text-block">
              <VisibleText text={line.text} />
            </div>
          </Section>
        </>
      ),
    },
  ];
}
