import { join } from 'node:path';
import { need } from './binaries.ts';
import { Daemon } from './process/daemon.ts';
import type { Watchdog } from './process/watchdog.ts';

export type ComponentOptions = {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly watchdog: Watchdog;
};

/** One of each: no election. No serving port: nobody scrapes them, and ports are to collide. No rate limit worth the name. */
const COMMON = ['--leader-elect=false', '--secure-port=0', '--kube-api-qps=1000', '--kube-api-burst=2000'];

/** Garbage collection, namespaces, service accounts, workloads, node lifecycle. Ready when it has made something. */
export function startControllerManager(options: ComponentOptions & { ca: string; serviceAccountKey: string }): Daemon {
  return Daemon.start(
    {
      name: 'kube-controller-manager',
      command: need('kube-controller-manager'),
      folder: options.folder,
      args: [
        ...COMMON,
        `--kubeconfig=${options.kubeconfig}`,
        `--root-ca-file=${options.ca}`,
        `--service-account-private-key-file=${options.serviceAccountKey}`,
        // Made when missing, by default below /usr.
        `--flex-volume-plugin-dir=${join(options.folder, 'flex-volumes')}`,
      ],
    },
    options.watchdog,
  );
}

export function startScheduler(options: ComponentOptions): Daemon {
  return Daemon.start(
    {
      name: 'kube-scheduler',
      command: need('kube-scheduler'),
      folder: options.folder,
      args: [...COMMON, `--kubeconfig=${options.kubeconfig}`],
    },
    options.watchdog,
  );
}
