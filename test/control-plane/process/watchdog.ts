import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { type Belongings, cleanUp, MARKER_VARIABLE } from './clean-up.ts';
import { identify, type ProcessIdentity } from './identity.ts';

/**
 * Keeps the list of what a control plane put on the machine, here and in a detached reaper that holds a pipe from us.
 * The reaper acts when the pipe closes, which the kernel does for us whatever way we die.
 */
export class Watchdog {
  readonly #reaper: ChildProcess;
  #belongings: Belongings;

  constructor(marker: string, folder: string) {
    this.#belongings = { marker, folder, processes: [], networkNamespaces: [], links: [], cgroups: [] };
    const environment = { ...process.env };
    // A reaper that carried an outer instance's marker would be killed with it, and our own would kill itself.
    delete environment[MARKER_VARIABLE];
    // Options of the parent's Node (loaders, inspectors of a test runner) are not meant for it.
    delete environment['NODE_OPTIONS'];
    this.#reaper = spawn(process.execPath, [join(import.meta.dirname, 'reaper.ts')], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: environment,
    });
    this.#reaper.unref();
    this.#reaper.stdin?.on('error', () => {});
    this.#tell(this.#belongings);
  }

  get marker(): string {
    return this.#belongings.marker;
  }

  addProcess(pid: number): ProcessIdentity | undefined {
    const identity = identify(pid);
    if (identity !== undefined) this.#add({ processes: [...this.#belongings.processes, identity] });
    return identity;
  }

  addNetworkNamespace(name: string): void {
    this.#add({ networkNamespaces: [...this.#belongings.networkNamespaces, name] });
  }

  addLink(name: string): void {
    this.#add({ links: [...this.#belongings.links, name] });
  }

  addCgroup(name: string): void {
    this.#add({ cgroups: [...this.#belongings.cgroups, name] });
  }

  /** Ends and removes everything now, then dismisses the reaper. */
  async close(): Promise<void> {
    await cleanUp(this.#belongings);
    const gone =
      this.#reaper.exitCode === null && this.#reaper.signalCode === null ? once(this.#reaper, 'exit') : undefined;
    this.#tell('done');
    this.#reaper.stdin?.end();
    this.#reaper.ref();
    await gone;
  }

  #add(more: Partial<Belongings>): void {
    this.#belongings = { ...this.#belongings, ...more };
    this.#tell(this.#belongings);
  }

  #tell(message: Belongings | 'done'): void {
    this.#reaper.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
