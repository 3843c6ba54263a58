import type { ChildProcess } from 'node:child_process';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import spawn from 'cross-spawn';

export interface StdioCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Record<string, string>;
  readonly cwd: string;
}

/** How long a server has to end after its input is closed, and again after SIGTERM. */
const GRACE_MS = 1000;
/** A process that has ended but whose pipes are held open by another one counts as closed after this. */
const PIPES_MS = 300;
const MOST_ERROR_TEXT = 2000;

/**
 * A server as a child process. Unlike the transport of the SDK it starts a process group, so that `close` also ends
 * what the server has started: `npx some-server` is three processes.
 */
export class StdioProcess implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  readonly #command: StdioCommand;
  readonly #buffer = new ReadBuffer();
  #child: ChildProcess | undefined;
  #errorText = '';
  #isClosed = false;

  constructor(command: StdioCommand) {
    this.#command = command;
  }

  /** The end of what the server has written to its standard error. */
  get errorText(): string {
    return this.#errorText.trim();
  }

  start(): Promise<void> {
    const { command, args, env, cwd } = this.#command;
    return new Promise((resolve, reject) => {
      const child = spawn(command, [...args], {
        env,
        cwd,
        stdio: ['pipe', 'pipe', 'pipe'],
        detached: hasGroups,
        windowsHide: true,
      });
      this.#child = child;
      process.on('exit', this.#onExit);
      child.once('spawn', resolve);
      child.once('error', (error) => {
        reject(error);
        this.onerror?.(error);
        if (child.pid === undefined) this.#closed();
      });
      child.once('close', () => this.#closed());
      child.once('exit', () => setTimeout(() => this.#closed(), PIPES_MS).unref());
      child.stdin?.on('error', (error) => this.onerror?.(error));
      child.stdout?.on('data', (chunk: Buffer) => this.#read(chunk));
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#errorText = (this.#errorText + text).slice(-MOST_ERROR_TEXT);
      });
    });
  }

  /** Does not wait for a server that reads nothing: its deadline tells. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed || this.#child?.stdin?.writable !== true) throw new Error('The process has ended.');
    this.#child.stdin.write(serializeMessage(message));
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child?.pid === undefined) return this.#closed();
    child.stdin?.end();
    if (!(await this.#gone(child))) {
      killGroup(child, 'SIGTERM');
      if (!(await this.#gone(child))) killGroup(child, 'SIGKILL');
      await this.#gone(child);
    }
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.#closed();
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      // Larger than the SDK takes: there is no way to find the next message.
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        // A line that is no message, such as something printed by mistake.
        this.onerror?.(error as Error);
      }
    }
  }

  /** Whether the process, and its whole group, has ended within the grace. */
  async #gone(child: ChildProcess): Promise<boolean> {
    for (let waited = 0; waited <= GRACE_MS; waited += 20) {
      if (!isAlive(child)) return true;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return false;
  }

  #closed(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    // What the process has left running in its group would be nobody's.
    if (this.#child?.pid !== undefined) killGroup(this.#child, 'SIGKILL');
    process.off('exit', this.#onExit);
    this.onclose?.();
  }

  readonly #onExit = (): void => {
    if (this.#child?.pid !== undefined) killGroup(this.#child, 'SIGKILL');
  };
}

const hasGroups = process.platform !== 'win32';

function isAlive(child: ChildProcess): boolean {
  if (!hasGroups) return child.exitCode === null && child.signalCode === null;
  try {
    process.kill(-child.pid!, 0);
    return true;
  } catch {
    return false;
  }
}

function killGroup(child: ChildProcess, signal: NodeJS.Signals): void {
  try {
    if (hasGroups) process.kill(-child.pid!, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}
