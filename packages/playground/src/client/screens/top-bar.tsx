import { useEffect, useRef } from 'preact/hooks';
import { type Key, type Language, language, t } from '../i18n/index.ts';
import { isFinding } from '../inspector/find-bar.tsx';
import { type Route, route } from '../route.ts';
import { chooseLanguage, type Theme, theme } from '../settings.ts';
import { Icon } from '../ui/icon.tsx';
import type { IconName } from '../ui/icon-names.ts';
import { currentRun, hasServer } from './actions.ts';

const LINKS: readonly (readonly [screen: Route['screen'], key: Key, icon: IconName, needsServer: boolean])[] =
  [
    ['run', 'nav.run', 'play', true],
    ['history', 'nav.history', 'history', true],
    ['compare', 'nav.compare', 'compare', false],
    ['open', 'nav.open', 'open', false],
  ];

export function TopBar() {
  const { screen } = route.value;
  const links = LINKS.filter(([, , , needsServer]) => hasServer.value || !needsServer);
  return (
    <header class="top-bar">
      <a class="brand" href="#/run">
        <span class="brand-mark">
          <Icon name="steps" />
        </span>
        {t('brand')}
      </a>
      <nav class="main-nav" aria-label={t('nav')}>
        {links.map(([name, key, icon]) => (
          <a
            key={name}
            href={
              name === 'run' && currentRun.value !== undefined && screen !== 'inspect'
                ? `#/r/${currentRun.value}`
                : `#/${name}`
            }
            aria-current={isCurrent(name, screen) ? 'page' : undefined}
          >
            <Icon name={icon} />
            <span>{t(key)}</span>
          </a>
        ))}
      </nav>
      <span class="spacer" />
      <button
        type="button"
        class="find-button"
        onClick={() => {
          isFinding.value = true;
        }}
      >
        <Icon name="find" />
        <span>{t('find.button')}</span>
        <kbd>{t('key.control')}</kbd>
        <kbd>{'F'}</kbd>
      </button>
      {hasServer.value && (
        <span class="local" title={t('local.title')}>
          <i />
          {t('local')}
        </span>
      )}
      <SettingsMenu />
      <button
        type="button"
        class="icon-button"
        aria-label={t('keys.title')}
        title={t('keys.title')}
        onClick={() => document.dispatchEvent(new CustomEvent('glassloop:keys'))}
      >
        <Icon name="help" />
      </button>
    </header>
  );
}

function isCurrent(name: Route['screen'], screen: Route['screen']): boolean {
  return (
    name === screen ||
    (name === 'run' && screen === 'inspect') ||
    (name === 'open' && !hasServer.value && screen !== 'compare')
  );
}

const THEMES: readonly (readonly [Theme, Key])[] = [
  ['system', 'theme.system'],
  ['light', 'theme.light'],
  ['dark', 'theme.dark'],
];
const LANGUAGES: readonly (readonly [Language, string])[] = [
  ['en', 'English'],
  ['de', 'Deutsch'],
];

function SettingsMenu() {
  const menu = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // Connected here, because the property is no attribute that every typing of JSX knows.
    if (button.current !== null && menu.current !== null) button.current.popoverTargetElement = menu.current;
  }, []);
  return (
    <>
      <button ref={button} type="button" class="icon-button" aria-label={t('settings')} title={t('settings')}>
        <Icon name="settings" />
      </button>
      <div ref={menu} class="popover settings" popover="auto">
        <fieldset>
          <legend>{t('theme')}</legend>
          {THEMES.map(([value, key]) => (
            <label key={value} class="check">
              <input
                type="radio"
                name="theme"
                checked={theme.value === value}
                onChange={() => (theme.value = value)}
              />
              {t(key)}
            </label>
          ))}
        </fieldset>
        <fieldset>
          <legend>{t('language')}</legend>
          {LANGUAGES.map(([value, name]) => (
            <label key={value} class="check" lang={value}>
              <input
                type="radio"
                name="language"
                checked={language.value === value}
                onChange={() => void chooseLanguage(value)}
              />
              {name}
            </label>
          ))}
        </fieldset>
        {hasServer.value && (
          <nav class="small-nav" aria-label={t('nav')}>
            {LINKS.map(([name, key, icon]) => (
              <a key={name} href={`#/${name}`} onClick={() => menu.current?.hidePopover()}>
                <Icon name={icon} />
                {t(key)}
              </a>
            ))}
          </nav>
        )}
      </div>
    </>
  );
}
