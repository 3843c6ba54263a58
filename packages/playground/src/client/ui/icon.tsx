import icons from 'virtual:icons';
import { h } from 'preact';
import type { IconName } from './icon-names.ts';

/** Decoration: what it means stands beside it in words, or in the name of its button. */
export function Icon({ name, class: extra }: { name: IconName; class?: string }) {
  return (
    <svg
      class={extra === undefined ? 'icon' : `icon ${extra}`}
      viewBox="0 0 24 24"
      aria-hidden="true"
      focusable="false"
    >
      {(icons[name] ?? []).map(([tag, attributes]) => h(tag, attributes))}
    </svg>
  );
}
