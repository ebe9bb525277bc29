import { join } from 'node:path';
import { need } from './binaries.ts';
import { Daemon } from './process/daemon.ts';
import { freePort } from './process/ports.ts';
import type { Watchdog } from './process/watchdog.ts';

export type Etcd = { readonly daemon: Daemon; readonly url: string };

export type EtcdOptions = {
  readonly folder: string;
  readonly dataFolder: string;
  /** Off by default: a test's data need not survive the machine, only the process, and the page cache does that. */
  readonly fsync: boolean;
  readonly watchdog: Watchdog;
};

/**
 * One etcd on loopback. Data of an earlier instance names that one's peer address, which does not matter with no peers;
 * `--force-new-cluster` would, since it drops what was acknowledged last.
 */
export async function startEtcd(options: EtcdOptions): Promise<Etcd> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const daemon = Daemon.start(
    {
      name: 'etcd',
      command: need('etcd'),
      folder: options.folder,
      args: [
        `--data-dir=${join(options.dataFolder, 'etcd')}`,
        `--listen-client-urls=${url}`,
        `--advertise-client-urls=${url}`,
        `--listen-peer-urls=${peer}`,
        `--initial-advertise-peer-urls=${peer}`,
        `--initial-cluster=default=${peer}`,
        '--log-level=warn',
        ...(options.fsync ? [] : ['--unsafe-no-fsync']),
      ],
    },
    options.watchdog,
  );
  await daemon.ready(async () => {
    try {
      return (await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) })).ok;
    } catch {
      return false;
    }
  });
  return { daemon, url };
}
