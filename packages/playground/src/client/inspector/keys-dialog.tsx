import { type Key, t } from '../i18n/index.ts';
import { letterKeys } from '../settings.ts';
import { Dialog } from '../ui/dialog.tsx';

const KEYS: readonly (readonly [keys: readonly string[], text: Key])[] = [
  [['j', 'k'], 'keys.step'],
  [['h', 'l'], 'keys.round'],
  [['←', '→'], 'keys.collapse'],
  [['Home', 'End'], 'keys.ends'],
  [['e', 'E'], 'keys.error'],
  [['Enter', 'Esc'], 'keys.enter'],
  [['1', '6'], 'keys.tabs'],
  [['[', ']'], 'keys.split'],
  [['+', '-', '0'], 'keys.zoom'],
  [['/'], 'keys.filter'],
  [['Ctrl', 'F'], 'keys.find'],
  [['F3'], 'keys.findNext'],
  [['g'], 'keys.goTo'],
  [['c', 'y'], 'keys.copy'],
  [['r'], 'keys.runFromHere'],
  [['m', 'M'], 'keys.mark'],
  [['.'], 'keys.stop'],
  [['Ctrl', 'Enter'], 'keys.run'],
  [['Ctrl', 'Shift', 'Enter'], 'keys.dryRun'],
  [['?'], 'keys.help'],
];

export function KeysDialog({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title={t('keys.title')} onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([keys, text]) => (
          <div key={text}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(text)}</dd>
          </div>
        ))}
      </dl>
      <label class="check">
        <input
          type="checkbox"
          checked={letterKeys.value}
          onChange={(event) => (letterKeys.value = event.currentTarget.checked)}
        />
        {t('keys.letters')}
      </label>
    </Dialog>
  );
}
