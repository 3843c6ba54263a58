import type { ComponentChildren, Ref } from 'preact';

/** A block that scrolls in itself: by keyboard too, and with a name. */
export function Scroll(props: {
  readonly label: string;
  readonly class: string;
  readonly children: ComponentChildren;
  readonly scroller?: Ref<HTMLDivElement>;
}) {
  return (
    <div
      ref={props.scroller ?? null}
      class={props.class}
      dir="auto"
      role="group"
      aria-label={props.label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
    >
      {props.children}
    </div>
  );
}
