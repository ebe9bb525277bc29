/** The one helper of a runtime, started again if it ends, and the spawner that belongs to it. */
import { adoptSurvivors } from '../process/label.ts';
import type { ProcessRegistry } from '../process/registry.ts';
import type { Spawner } from '../process/spawner.ts';
import type { Config } from '../server/config.ts';
import type { Log } from '../server/log.ts';
import type { HelperClient } from './client.ts';
import { connectHelper } from './connect.ts';

export class HelperHolder {
  readonly #config: Config;
  readonly #log: Log;
  readonly #registry: ProcessRegistry;
  #connecting: Promise<{ client: HelperClient | undefined; spawner: Spawner }> | undefined;
  #closed = false;
  /** A runtime before this one crashed. */
  startedAgain = false;

  readonly #restore: (kept: string) => void;

  constructor(config: Config, log: Log, registry: ProcessRegistry, restore: (kept: string) => void) {
    this.#restore = restore;
    this.#config = config;
    this.#log = log;
    this.#registry = registry;
  }

  async client(): Promise<HelperClient | undefined> {
    return (await this.#connect()).client;
  }

  async spawner(): Promise<Spawner> {
    return (await this.#connect()).spawner;
  }

  /** Kills what was started and says so if something is left, then lets the helper go. */
  async close(): Promise<void> {
    this.#closed = true;
    const { client } = (await this.#connecting) ?? {};
    if (client === undefined) return;
    const left = await client.killAll().catch(() => 0);
    if (left > 0) this.#log.error('processes could not be killed', { left });
    client.close();
  }

  #connect(): Promise<{ client: HelperClient | undefined; spawner: Spawner }> {
    this.#connecting ??= this.#start();
    return this.#connecting;
  }

  async #start(): Promise<{ client: HelperClient | undefined; spawner: Spawner }> {
    const connected = await connectHelper(this.#config.helper, this.#log);
    if (connected === undefined) {
      const { nodeSpawner } = await import('../process/node-spawner.ts');
      return { client: undefined, spawner: nodeSpawner };
    }
    const { client, supervised } = connected;
    client.onLost(() => {
      this.#connecting = undefined;
      if (!this.#closed)
        this.#log.error('the helper has ended; its processes are lost, a new one starts with the next need');
    });
    if (supervised) {
      const { kept, survivors } = await client.list();
      adoptSurvivors(client, this.#registry, survivors);
      this.startedAgain = kept !== '';
      if (kept !== '') this.#restore(kept);
      if (kept !== '' || survivors.length > 0) {
        this.#log.warn('took over from a former runtime', { processes: survivors.length, owner: kept !== '' });
      }
    }
    const { helperSpawner } = await import('../process/helper-spawner.ts');
    return { client, spawner: helperSpawner(client, { noNewPrivileges: this.#config.noNewPrivileges }) };
  }
}
