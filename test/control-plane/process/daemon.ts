import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ControlPlaneError } from '../errors.ts';
import { environmentOf } from './environment.ts';
import { isStopped } from './identity.ts';
import type { Watchdog } from './watchdog.ts';

export type DaemonSpec = {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  /** Where the log goes, as `<name>.log`. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
};

/** One long-running process with its log file, known to the watchdog from its first moment. */
export class Daemon {
  readonly spec: DaemonSpec;
  readonly #child: ChildProcess;
  readonly #exited: Promise<void>;
  #failure: Error | undefined;

  static start(spec: DaemonSpec, watchdog: Watchdog): Daemon {
    return new Daemon(spec, watchdog);
  }

  private constructor(spec: DaemonSpec, watchdog: Watchdog) {
    this.spec = spec;
    const log = openSync(logFile(spec), 'a');
    this.#child = spawn(spec.command, [...spec.args], {
      cwd: spec.folder,
      // In a group of its own: Ctrl-C in a terminal is for the owner, who stops daemons in order.
      detached: true,
      stdio: ['ignore', log, log],
      env: environmentOf(watchdog.marker, spec.env),
    });
    closeSync(log);
    this.#child.unref();
    this.#exited = once(this.#child, 'exit').then(
      () => {},
      (error: Error) => {
        this.#failure = error;
      },
    );
    if (this.#child.pid !== undefined) watchdog.addProcess(this.#child.pid);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  get running(): boolean {
    return (
      this.#failure === undefined &&
      this.#child.pid !== undefined &&
      this.#child.exitCode === null &&
      this.#child.signalCode === null
    );
  }

  #signal(name: NodeJS.Signals): void {
    if (this.running) this.#child.kill(name);
  }

  /** Stops it where it stands, and waits until it does. */
  async freeze(): Promise<void> {
    this.#signal('SIGSTOP');
    await this.ready(async () => this.pid !== undefined && isStopped(this.pid), 10_000);
  }

  thaw(): void {
    this.#signal('SIGCONT');
  }

  /** Ends the process and waits until it is gone, so that its port and files are free. */
  async end(name: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.running) return;
    this.#child.ref();
    this.#child.kill(name);
    await this.#exited;
  }

  /** The end of the log: what a failing test should show. */
  tail(lines = 25): string {
    try {
      return readFileSync(logFile(this.spec), 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } catch {
      return '(no log)';
    }
  }

  /** Asks again and again, without pause to speak of, until it is ready, it died, or the time is over. */
  async ready(isReady: () => Promise<boolean>, timeoutMs = 60_000): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      if (!this.running) {
        const how = this.#failure?.message ?? `exit code ${this.#child.exitCode ?? this.#child.signalCode}`;
        throw new ControlPlaneError(
          'DAEMON_EXITED',
          `${this.spec.name} ended before it was ready (${how}). Its last lines:\n${this.tail()}`,
        );
      }
      if (await isReady()) return;
      if (Date.now() > deadline) {
        throw new ControlPlaneError(
          'NOT_READY',
          `${this.spec.name} was not ready within ${timeoutMs / 1000} s. Its last lines:\n${this.tail()}`,
        );
      }
      await delay(25);
    }
  }
}

function logFile(spec: Pick<DaemonSpec, 'folder' | 'name'>): string {
  return join(spec.folder, `${spec.name}.log`);
}
