import { Component, type ComponentChildren, type FunctionComponent, h } from 'preact';

/** Renders again only when a property is another value. (Signals that are read inside still do their work.) */
export function memo<Props extends object>(render: FunctionComponent<Props>): FunctionComponent<Props> {
  class Memo extends Component<Props> {
    override shouldComponentUpdate(next: Props) {
      const [before, after] = [this.props as Record<string, unknown>, next as Record<string, unknown>];
      for (const key in after) if (before[key] !== after[key]) return true;
      for (const key in before) if (!(key in after)) return true;
      return false;
    }
    override render(): ComponentChildren {
      return h(render, this.props);
    }
  }
  return Memo as unknown as FunctionComponent<Props>;
}
