/** All keys of the inspector. Single letters only outside of fields, and only while they are turned on. */

import type { Inspection } from '../inspection.ts';
import { letterKeys, splitAt } from '../settings.ts';
import { copyText } from '../ui/copy.tsx';
import { linkTo } from './detail.tsx';
import { zoomBy } from './step-list.tsx';

export interface InspectorCommands {
  readonly showKeys: () => void;
  readonly find: () => void;
  readonly findNext: (direction: 1 | -1) => void;
  readonly stop: () => void;
  readonly runFromHere: () => void;
  readonly mark: () => void;
  readonly compareWithMarked: () => void;
  readonly say: (text: 'copied' | 'linkCopied' | 'noError' | 'noStep') => void;
}

/** `g` waits for a number and Enter. */
let number: string | undefined;

export function onInspectorKey(
  event: KeyboardEvent,
  inspection: Inspection,
  commands: InspectorCommands,
): void {
  if (event.defaultPrevented || document.querySelector('dialog[open]') !== null) return;
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f') {
    // A second press is the browser's own search.
    if (document.activeElement?.id === 'find') return;
    event.preventDefault();
    commands.find();
    return;
  }
  if (event.key === 'F3') {
    event.preventDefault();
    commands.findNext(event.shiftKey ? -1 : 1);
    return;
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const target = event.target as HTMLElement;
  if (isField(target)) {
    // The browser would empty a search field, and tell nobody.
    if (event.key === 'Escape') {
      event.preventDefault();
      focusTree();
    }
    return;
  }
  const isHandled =
    treeKey(event, target, inspection) || (letterKeys.value && letterKey(event, inspection, commands));
  if (isHandled) event.preventDefault();
}

/** Keys that every tree has; elsewhere they belong to what has the focus. */
function treeKey(event: KeyboardEvent, target: HTMLElement, inspection: Inspection): boolean {
  if (event.key === 'Escape') {
    inspection.panel.value = 'steps';
    focusTree();
    return true;
  }
  if (number !== undefined && event.key === 'Enter') {
    const index = Number(number) - 1;
    number = undefined;
    if (index >= 0 && index < inspection.store.steps.length) inspection.reveal(index);
    return true;
  }
  if (target.id !== 'tree') return false;
  const row = inspection.row();
  const isRtl = document.documentElement.dir === 'rtl';
  const inwards = isRtl ? 'ArrowLeft' : 'ArrowRight';
  const outwards = isRtl ? 'ArrowRight' : 'ArrowLeft';
  switch (event.key) {
    case 'ArrowDown':
      inspection.move(1);
      return true;
    case 'ArrowUp':
      inspection.move(-1);
      return true;
    case 'PageDown':
      inspection.move(15);
      return true;
    case 'PageUp':
      inspection.move(-15);
      return true;
    case 'Home':
      inspection.select(inspection.rows.value.rows[0]?.key);
      return true;
    case 'End':
      if (inspection.store.isRunning) inspection.startFollowing();
      else inspection.select(inspection.rows.value.rows.at(-1)?.key);
      return true;
    case inwards:
      if (row?.type === 'round') {
        if (row.round.isExpanded) inspection.move(1);
        else inspection.toggleRound(row.round.round, true);
      }
      return true;
    case outwards:
      if (row?.type === 'round') inspection.toggleRound(row.round.round, false);
      else inspection.moveTo((one) => one.type === 'round', -1);
      return true;
    case 'Enter':
    case ' ':
      inspection.panel.value = 'detail';
      document.getElementById('tab-panel')?.focus();
      return true;
    default:
      return false;
  }
}

function letterKey(event: KeyboardEvent, inspection: Inspection, commands: InspectorCommands): boolean {
  const { key } = event;
  if (number !== undefined) {
    if (/^\d$/.test(key)) {
      number += key;
      return true;
    }
    number = undefined;
  }
  if (/^[1-9]$/.test(key)) return chooseTab(Number(key));
  const isError = (row: Parameters<Parameters<Inspection['moveTo']>[0]>[0]) =>
    (row.type === 'step' && row.step.failed) || (row.type === 'unread' && row.line.isRaw !== true);
  const actions: { readonly [key: string]: () => unknown } = {
    j: () => inspection.move(1),
    k: () => inspection.move(-1),
    l: () => inspection.moveTo((row) => row.type === 'round', 1),
    h: () => inspection.moveTo((row) => row.type === 'round', -1),
    e: () => inspection.moveTo(isError, 1) || commands.say('noError'),
    E: () => inspection.moveTo(isError, -1) || commands.say('noError'),
    g: () => {
      number = '';
    },
    '/': () => document.getElementById('filter')?.focus(),
    '?': commands.showKeys,
    '.': commands.stop,
    c: () => copyStep(inspection).then(() => commands.say('copied')),
    y: () => copyLink(inspection).then(() => commands.say('linkCopied')),
    r: commands.runFromHere,
    m: commands.mark,
    M: commands.compareWithMarked,
    '[': () => {
      splitAt.value = Math.max(25, splitAt.value - 3);
    },
    ']': () => {
      splitAt.value = Math.min(75, splitAt.value + 3);
    },
    '+': () => zoomBy(inspection, 0.7),
    '-': () => zoomBy(inspection, 1 / 0.7),
    '0': () => {
      inspection.zoom.value = undefined;
    },
  };
  if (!Object.hasOwn(actions, key)) return false;
  actions[key]!();
  return true;
}

function chooseTab(place: number): boolean {
  const tab = document.querySelectorAll<HTMLButtonElement>('.detail [role="tab"]')[place - 1];
  tab?.click();
  return tab !== undefined;
}

async function copyStep(inspection: Inspection): Promise<void> {
  const row = inspection.row();
  if (row?.type === 'step')
    await copyText(JSON.stringify(await inspection.store.bodies.get(row.step.index), null, 2));
}

async function copyLink(inspection: Inspection): Promise<void> {
  const row = inspection.row();
  if (row?.type === 'step') await copyText(linkTo(row.step.index));
}

function focusTree(): void {
  document.getElementById('tree')?.focus();
}

function isField(element: HTMLElement): boolean {
  return element.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(element.tagName);
}
