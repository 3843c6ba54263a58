import type { ComponentType, FunctionComponent } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { VisibleText } from './visible-text.tsx';

/** A view whose code is fetched when it is first shown; until then, `fallback`. */
export function lazy<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  fallback: FunctionComponent<Props> = () => <p class="absent">{t('loading')}</p>,
): FunctionComponent<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props) {
    const [, render] = useState(0);
    useEffect(() => {
      if (loaded !== undefined) return;
      let isGone = false;
      load().then((component) => {
        loaded = component;
        if (!isGone) render(1);
      });
      return () => {
        isGone = true;
      };
    }, []);
    const View = loaded ?? fallback;
    return <View {...props} />;
  };
}

function Plain({ text }: { text: string }) {
  return (
    <div class="prose plain" dir="auto">
      <VisibleText text={text} />
    </div>
  );
}

export const LazyMarkdown = lazy<{ text: string }>(
  async () => (await import('./markdown.tsx')).Markdown,
  Plain,
);
export const LazyAnsi = lazy<{ text: string; label: string }>(
  async () => (await import('./ansi.tsx')).AnsiText,
  Plain,
);
