import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { visiblePieces } from '../trace/hidden-text.ts';
import { askToFollow } from './link-dialog.tsx';

/** Raw HTML and pictures in a text are printed as they were written, never made. */
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    image: ({ raw }) => escapeHtml(raw),
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
  },
});

const TAGS =
  'a b blockquote br code del em h1 h2 h3 h4 h5 h6 hr i li ol p pre s strong sub sup table tbody td th thead tr ul'.split(
    ' ',
  );

export function Markdown({ text }: { text: string }) {
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => place.current?.replaceChildren(render(text)), [text]);
  return <div ref={place} class="prose" dir="auto" />;
}

function render(text: string): DocumentFragment {
  const fragment = DOMPurify.sanitize(marked.parse(text) as string, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ['href', 'align', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    ALLOWED_URI_REGEXP: /^(?:https?|mailto):/i,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const link of fragment.querySelectorAll('a')) guard(link);
  // Headings of a text must not disturb the outline of the page.
  for (const heading of fragment.querySelectorAll('h1,h2,h3,h4,h5,h6')) {
    const replacement = document.createElement('p');
    replacement.className = 'prose-heading';
    replacement.append(...heading.childNodes);
    heading.replaceWith(replacement);
  }
  for (const table of fragment.querySelectorAll('table')) {
    const scroller = document.createElement('div');
    scroller.className = 'table-scroller';
    scroller.tabIndex = 0;
    table.replaceWith(scroller);
    scroller.append(table);
  }
  for (const block of fragment.querySelectorAll('pre')) block.tabIndex = 0;
  markHidden(fragment);
  return fragment;
}

/** A link shows where it leads before it leads there. */
function guard(link: HTMLAnchorElement): void {
  const address = link.getAttribute('href');
  if (address === null || !URL.canParse(address)) {
    link.replaceWith(...link.childNodes);
    return;
  }
  link.rel = 'noopener noreferrer';
  link.target = '_blank';
  link.addEventListener('click', (event) => {
    event.preventDefault();
    askToFollow(address);
  });
  link.addEventListener('auxclick', (event) => event.preventDefault());
  const { host, protocol } = new URL(address);
  const shown = document.createElement('span');
  shown.className = 'link-host';
  shown.textContent = ` (${protocol === 'mailto:' ? 'mailto' : host})`;
  link.after(shown);
}

function markHidden(fragment: DocumentFragment): void {
  const walker = document.createTreeWalker(fragment, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) found.push(walker.currentNode as Text);
  for (const node of found) {
    const pieces = visiblePieces(node.data);
    if (!pieces.some((piece) => 'mark' in piece)) continue;
    node.replaceWith(
      ...pieces.map((piece) => {
        if (!('mark' in piece)) return piece.text;
        const mark = document.createElement('span');
        mark.className = 'hidden-mark';
        mark.title = t('hidden.mark', { mark: piece.mark });
        mark.textContent = piece.mark;
        return mark;
      }),
    );
  }
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
