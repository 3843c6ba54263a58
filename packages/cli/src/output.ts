import { blackOut } from '@glassloop/core/adapter';
import { type Style, styleFor } from './render/style.ts';
import { formatDuration } from './render/text.ts';

/** The one place that writes to the terminal. */

export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
  readonly writableNeedDrain?: boolean;
  once?(event: 'drain' | 'close' | 'error', listener: () => void): unknown;
}

export interface OutputOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly env: { readonly [name: string]: string | undefined };
  /** Texts never to be written: the values of the key variables. Read at each write. */
  readonly secrets?: readonly string[];
}

/** Where the account of a run goes: to stdout; to stderr, when stdout belongs to one document; nowhere. */
export type AccountTo = 'stdout' | 'stderr' | 'nowhere';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const TICK_MS = 120;
/** Without a terminal, a sign of life this often. */
const SIGN_OF_LIFE_MS = 10_000;

export class Output {
  /** For lines of the account. */
  style: Style;
  readonly errorStyle: Style;
  readonly #options: OutputOptions;
  #accountTo: AccountTo = 'stdout';
  #activity: { text: string; since: number; timer: NodeJS.Timeout; frame: number } | undefined;
  #drawn = false;

  constructor(options: OutputOptions) {
    this.#options = options;
    this.style = styleFor(options.stdout, options.env);
    this.errorStyle = styleFor(options.stderr, options.env);
  }

  accountTo(target: AccountTo): void {
    this.#accountTo = target;
    this.style = target === 'stderr' ? this.errorStyle : styleFor(this.#options.stdout, this.#options.env);
  }

  /** Whether a person sees the account, so that its end need not be told again on stderr. */
  get accountIsSeen(): boolean {
    const { stdout, stderr } = this.#options;
    return (
      this.#accountTo === 'stderr' ||
      (this.#accountTo === 'stdout' && stdout.isTTY === true && stderr.isTTY === true)
    );
  }

  /** Lines of what happens, for people. */
  account(lines: readonly string[]): void {
    if (this.#accountTo === 'nowhere') return;
    this.#write(this.#accountTo === 'stderr' ? this.#options.stderr : this.#options.stdout, lines);
  }

  /** What was asked for: always on stdout. */
  result(lines: readonly string[]): void {
    this.#write(this.#options.stdout, lines);
  }

  /** A piece of a document on stdout, without a line break of its own; resolves when there is room for the next. */
  async document(text: string): Promise<void> {
    this.#erase();
    if (text !== '') this.#options.stdout.write(this.#clean(text));
    await this.drained();
  }

  /** Resolves when stdout has room: a slow reader must not make a long document pile up in memory. */
  async drained(): Promise<void> {
    const { stdout } = this.#options;
    if (stdout.writableNeedDrain !== true || stdout.once === undefined) return;
    await new Promise<void>((resolve) => {
      stdout.once?.('drain', resolve);
      stdout.once?.('close', resolve);
      stdout.once?.('error', () => resolve());
    });
  }

  /** What went wrong: always on stderr. */
  error(lines: readonly string[]): void {
    this.#write(this.#options.stderr, lines);
  }

  /**
   * Says what is being waited for until the next call; undefined: nothing. On a terminal a line that is drawn over,
   * elsewhere a plain line of the account every ten seconds.
   */
  activity(text: string | undefined): void {
    if (text !== undefined && this.#activity !== undefined) {
      this.#activity.text = text;
      return;
    }
    if (this.#activity !== undefined) clearInterval(this.#activity.timer);
    this.#erase();
    this.#activity = undefined;
    if (text === undefined || this.#accountTo === 'nowhere') return;
    const onTerminal = this.#options.stderr.isTTY === true && this.#options.env['TERM'] !== 'dumb';
    const timer = setInterval(
      () => (onTerminal ? this.#draw() : this.#signOfLife()),
      onTerminal ? TICK_MS : SIGN_OF_LIFE_MS,
    );
    // Waiting alone must not keep the process alive.
    timer.unref();
    this.#activity = { text, since: performance.now(), timer, frame: 0 };
  }

  #draw(): void {
    const activity = this.#activity;
    if (activity === undefined) return;
    const elapsed = formatDuration(Math.floor((performance.now() - activity.since) / 100) * 100);
    // Some terminals say 0.
    const width = (this.#options.stderr.columns || 80) - 1;
    const line = `  ${SPINNER[activity.frame++ % SPINNER.length]} ${activity.text} · ${elapsed}`;
    this.#options.stderr.write(`\r\u001b[2K${this.errorStyle.faint(this.#clean(line).slice(0, width))}`);
    this.#drawn = true;
  }

  #signOfLife(): void {
    const activity = this.#activity;
    if (activity === undefined) return;
    this.account([
      `  … ${activity.text}, ${Math.round((performance.now() - activity.since) / 1000)} s so far`,
    ]);
  }

  #erase(): void {
    if (this.#drawn) this.#options.stderr.write('\r\u001b[2K');
    this.#drawn = false;
  }

  #write(stream: OutputStream, lines: readonly string[]): void {
    this.#erase();
    if (lines.length > 0) stream.write(`${this.#clean(lines.join('\n'))}\n`);
  }

  #clean(text: string): string {
    return blackOut(text, this.#options.secrets ?? []);
  }
}
