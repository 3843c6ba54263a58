import { type ComponentChildren, createContext, h } from 'preact';
import { useContext } from 'preact/hooks';

/** Of the headings within; the title of the detail is 2. */
const Level = createContext(3);

/** A heading of the level of the place it stands in, so that none is skipped. */
export function Heading({ children }: { children: ComponentChildren }) {
  return h(`h${useContext(Level)}`, null, children);
}

/** What stands under a heading. */
export function Under({ children }: { children: ComponentChildren }) {
  const level = useContext(Level);
  return <Level.Provider value={level + 1}>{children}</Level.Provider>;
}
