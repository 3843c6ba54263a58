import { TRACE_VERSION } from '@glassloop/core/trace-file';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import type { Tail } from '../follow-file.ts';
import * as format from '../format.ts';
import { t } from '../i18n/index.ts';
import { StepLink } from '../steps/parts.tsx';
import { stateOf } from '../trace/run-status.ts';
import type { TraceStore } from '../trace/trace-store.ts';
import { useInspection } from '../ui/context.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-names.ts';
import { VisibleText } from '../ui/visible-text.tsx';

/** What must not be overlooked about the run, in one line each. */
export function Banners() {
  const inspection = useInspection();
  inspection.version.value;
  const { store, origin } = inspection;
  const progress = inspection.progress.value;
  const state = stateOf(store);
  return (
    <div class="banners">
      {store.connection === 'reconnecting' && (
        <Banner tone="warn" icon="waiting">
          {t('banner.reconnecting')}
        </Banner>
      )}
      {store.connection === 'unreachable' && (
        <Banner tone="error" icon="failed">
          {t('banner.unreachable')}
        </Banner>
      )}
      {progress !== undefined && (
        <Banner tone="info" icon="waiting">
          {t('banner.reading', { share: format.percent(progress) })}
          <progress value={progress} aria-label={t('banner.reading', { share: format.percent(progress) })} />
          <button type="button" class="button small" onClick={() => inspection.close()}>
            {t('cancel')}
          </button>
        </Banner>
      )}
      {inspection.tail !== undefined && (
        <TailBanner tail={inspection.tail} hasEnd={store.end !== undefined} />
      )}
      {inspection.isStopping.value && store.isRunning && (
        <Banner tone="info" icon="waiting">
          {store.running.size > 0
            ? t('banner.stoppingTools', {
                names: format.list([...store.running.values()].map((call) => call.name)),
              })
            : t('banner.stopping')}
        </Banner>
      )}
      {store.newerVersion !== undefined && (
        <Banner tone="warn" icon="info">
          {t('banner.newer', { version: store.newerVersion, known: TRACE_VERSION })}{' '}
          {store.unreadBeyond > 0 && t('banner.newerBeyond', { n: store.unread.length })}
        </Banner>
      )}
      <EndBanner store={store} state={state} />
      {store.endsMidLine && (
        <Banner tone="warn" icon="warn">
          {t('banner.endsMidLine')}
        </Banner>
      )}
      {store.unread.length > 0 && store.newerVersion === undefined && (
        <Banner tone="warn" icon="unknown" closable>
          {t('banner.unread', { n: store.unread.length + store.unreadBeyond })}
        </Banner>
      )}
      {origin.kind === 'report' && (
        <Banner tone="info" icon="info">
          {t('banner.report', {
            redaction: t(`redaction.${origin.data.redaction}`),
            date: format.date(origin.data.writtenAt),
            version: origin.data.version,
          })}
        </Banner>
      )}
    </div>
  );
}

/** A file that is followed, and what can be done about it. */
function TailBanner({ tail, hasEnd }: { tail: Tail; hasEnd: boolean }) {
  const isOn = tail.isOn.value;
  const fault = tail.fault.value;
  if (!isOn && hasEnd) return null;
  return (
    <Banner tone={fault === undefined ? 'info' : 'error'} icon={fault === undefined ? 'waiting' : 'failed'}>
      {t(isOn ? 'tail.on' : 'tail.off')} {fault}{' '}
      <button type="button" class="button small" onClick={() => (isOn ? tail.stop() : void tail.start())}>
        {t(isOn ? 'tail.stop' : 'tail.again')}
      </button>
    </Banner>
  );
}

/** Endings that look like a good one and are none, and what would lift them. */
function EndBanner({ store, state }: { store: TraceStore; state: ReturnType<typeof stateOf> }) {
  const cut = store.steps.findLast((step) => step.kind === 'response' && step.finishReason === 'length');
  switch (state.status) {
    case 'round_limit':
      return (
        <Banner tone="warn" icon="warn">
          {t('banner.roundLimit')}
        </Banner>
      );
    case 'limit':
    case 'repeat':
    case 'incomplete':
    case 'content_filter':
      return (
        <Banner tone="warn" icon="warn">
          {t(`banner.${state.status}`)} {state.detail !== undefined && <VisibleText text={state.detail} />}
        </Banner>
      );
    case 'length':
    case 'completed':
      return cut === undefined ? null : (
        <Banner tone="warn" icon="warn">
          {t('banner.length', { n: cut.round })} <StepLink index={cut.index} />
        </Banner>
      );
    case 'failed': {
      const error = store.steps.findLast((step) => step.kind === 'error');
      return (
        <Banner tone="error" icon="failed">
          {error === undefined ? (
            <VisibleText text={state.detail ?? ''} />
          ) : (
            <VisibleText text={`${error.code}: ${error.head}`} />
          )}{' '}
          {error !== undefined && <StepLink index={error.index} />}
        </Banner>
      );
    }
    case 'interrupted':
      return store.steps.length === 0 && store.unread.length === 0 ? null : (
        <Banner tone="warn" icon="stopped">
          {t('banner.interrupted')}
        </Banner>
      );
    case 'dry_run':
      return (
        <Banner tone="info" icon="info">
          {t('banner.dryRun')}
        </Banner>
      );
    default:
      return null;
  }
}

function Banner(props: {
  tone: 'info' | 'warn' | 'error';
  icon: IconName;
  closable?: boolean;
  children: ComponentChildren;
}) {
  const isClosed = useSignal(false);
  if (isClosed.value) return null;
  return (
    <div class={`banner ${props.tone}`}>
      <Icon name={props.icon} />
      <span class="banner-text">{props.children}</span>
      {props.closable && (
        <button
          type="button"
          class="icon-button"
          aria-label={t('close')}
          onClick={() => (isClosed.value = true)}
        >
          <Icon name="close" />
        </button>
      )}
    </div>
  );
}
