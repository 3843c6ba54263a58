import type { ContentPart, Message, Source, ToolCall } from '@glassloop/core';
import { useState } from 'preact/hooks';
import * as format from '../format.ts';
import { type Key, t } from '../i18n/index.ts';
import { countHidden } from '../trace/hidden-text.ts';
import { estimatedTokens } from '../trace/measure.ts';
import { messageText } from '../trace/step-summary.ts';
import { Icon } from '../ui/icon.tsx';
import { Payload } from '../ui/payload.tsx';
import { VisibleText } from '../ui/visible-text.tsx';

const ROLES: { readonly [role in Message['role']]: Key } = {
  system: 'role.system',
  user: 'role.user',
  assistant: 'role.assistant',
  tool: 'role.tool',
};

/** Every message of a list, each part of it, and where it came from. `unchanged`: how many at the front were sent before. */
export function MessageList(props: {
  readonly messages: readonly Message[];
  readonly sources?: readonly Source[] | undefined;
  readonly unchanged?: number;
  readonly openAll?: boolean;
}) {
  const { messages, sources = [], unchanged = 0 } = props;
  // What is new is at the end; of what came before, the nearest is there at once.
  const [first, setFirst] = useState(Math.max(0, Math.min(unchanged, messages.length) - PAGE));
  return (
    <>
      {first > 0 && (
        <button type="button" class="button small" onClick={() => setFirst(Math.max(0, first - PAGE))}>
          {t('message.earlier', { n: first })}
        </button>
      )}
      <ol class="messages" start={first + 1}>
        {messages.slice(first, Math.max(first, unchanged) + MOST_NEW).map((message, at) => (
          <MessageItem
            key={first + at}
            index={first + at}
            message={message}
            sources={sources.filter((source) => source.message === first + at)}
            isUnchanged={first + at < unchanged}
            startsOpen={props.openAll === true || first + at >= unchanged}
          />
        ))}
      </ol>
    </>
  );
}

const PAGE = 100;
const MOST_NEW = 500;

function MessageItem(props: {
  index: number;
  message: Message;
  sources: readonly Source[];
  isUnchanged: boolean;
  startsOpen: boolean;
}) {
  const { message, sources, isUnchanged, index } = props;
  const [isOpen, setOpen] = useState(props.startsOpen);
  const role = Object.hasOwn(ROLES, message.role) ? t(ROLES[message.role]) : String(message.role);
  const text = messageText(message);
  const hidden = countHidden(text);
  return (
    <li class={`message role-${message.role}`}>
      <button type="button" class="message-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="message-number">{index + 1}</span>
        <b>{role}</b>
        {message.role === 'tool' && <code>{message.toolName}</code>}
        <Provenance sources={sources} role={message.role} />
        {isUnchanged && <small>{t('message.unchanged')}</small>}
        {hidden > 0 && <span class="tag warn">{t('hidden.count', { n: hidden })}</span>}
        <span class="spacer" />
        <small class="mono">{t('about', { n: estimatedTokens(text.length) })}</small>
      </button>
      {isOpen && <MessageBody message={message} />}
    </li>
  );
}

function Provenance({ sources, role }: { sources: readonly Source[]; role: Message['role'] }) {
  if (sources.length === 0) {
    const fallback = role === 'assistant' ? t('from.model') : role === 'tool' ? t('from.tool') : undefined;
    return fallback === undefined ? null : <span class="tag">{fallback}</span>;
  }
  return (
    <>
      {sources.map((source, index) => (
        <span key={index} class={`tag from-${source.kind}`}>
          {sourceName(source)}
        </span>
      ))}
    </>
  );
}

export function sourceName(source: Source): string {
  const kind = t(`from.${source.kind}` as Key);
  const name = source.name ?? source.id;
  return name === undefined ? kind : `${kind} ${name}`;
}

function MessageBody({ message }: { message: Message }) {
  const label = t('message.content');
  return (
    <div class="message-body">
      {typeof message.content !== 'string' && Array.isArray(message.content) ? (
        message.content.map((part, index) => <Part key={index} part={part} />)
      ) : message.role === 'assistant' && message.content === '' ? null : (
        <Payload bare value={message.content} label={label} prose={message.role !== 'tool'} />
      )}
      {message.role === 'assistant' &&
        (message.toolCalls ?? []).map((call) => <CallPart key={call.id} call={call} />)}
      {message.role === 'assistant' && message.providerState !== undefined && (
        <details class="fold">
          <summary>{t('message.providerState')}</summary>
          <Payload value={message.providerState} label={t('message.providerState')} />
        </details>
      )}
      {message.role === 'tool' && (
        <p class="small-facts">
          {t('message.answers')} <code>{message.toolCallId}</code>
          {message.isError && <span class="tag error">{t('message.isError')}</span>}
        </p>
      )}
    </div>
  );
}

function CallPart({ call }: { call: ToolCall }) {
  return (
    <div class="call-part">
      <p class="small-facts">
        <Icon name="tool" />
        <code>
          <VisibleText text={call.name} />
        </code>
        <span class="mono">{call.id}</span>
      </p>
      <Payload bare value={call.argumentsJson} label={t('tab.arguments')} />
    </div>
  );
}

const LARGEST_PICTURE = 5_000_000;
const RASTER = /^image\/(png|jpeg|gif|webp)$/;

/** Pictures are drawn only when asked for, and only from the trace itself. */
function Part({ part }: { part: ContentPart }) {
  const [isShown, setShown] = useState(false);
  if (part.type === 'text') return <Payload bare value={part.text} label={t('message.content')} prose />;
  if (part.type !== 'image' || typeof part.data !== 'string')
    return <Payload value={part} label={String(part.type)} />;
  if (/^https?:/i.test(part.data)) {
    return (
      <p class="notice">
        {t('image.remote')} <code>{part.data}</code>
      </p>
    );
  }
  const size = Math.floor((part.data.length * 3) / 4);
  const canShow =
    RASTER.test(part.mediaType) &&
    size <= LARGEST_PICTURE &&
    /^[A-Za-z0-9+/=\s]+$/.test(part.data.slice(0, 4000));
  return (
    <figure class="picture">
      <figcaption>
        <span class="tag">
          {part.mediaType} {format.bytes(size)}
        </span>
        {canShow ? (
          <button
            type="button"
            class="button small"
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
          >
            {isShown ? t('image.hide') : t('image.show')}
          </button>
        ) : (
          <small>{t('image.notShown')}</small>
        )}
      </figcaption>
      {isShown && <img src={`data:${part.mediaType};base64,${part.data}`} alt={t('image.alt')} />}
    </figure>
  );
}
