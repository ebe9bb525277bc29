import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Daemon } from '../process/daemon.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { NodeNetwork } from './network.ts';
import { COVERED_FOLDERS } from './requirements.ts';

/** Namespaces that hold a whole node. When their first process ends, the kernel ends and unmounts all the rest. */
export type Cage = {
  readonly daemon: Daemon;
  /** A command line that runs inside. */
  enter(command: string, args: readonly string[]): { command: string; args: string[] };
};

/**
 * Network, process ids and mounts of its own. Not by `ip netns exec`, which mounts /sys anew and hides the cgroups from
 * the kubelet. Mounts are shared inside the cage, as pods expect, and with nobody outside.
 */
export async function openCage(folder: string, network: NodeNetwork, watchdog: Watchdog): Promise<Cage> {
  const signal = join(folder, 'cage-is-open');
  const script = [
    'set -e',
    'mount --make-rshared /',
    ...COVERED_FOLDERS.map((path) => `mount -t tmpfs -o mode=755 tmpfs ${path}`),
    'mkdir -p /run/lock /var/lib/cni /var/log/containers',
    'echo 1 > /proc/sys/net/ipv4/ip_forward',
    `: > ${signal}`,
    // Never returns, and reaps whatever is orphaned in here.
    'sleep infinity & wait',
  ].join('\n');
  const daemon = Daemon.start(
    {
      name: 'cage',
      command: 'nsenter',
      args: [
        `--net=/run/netns/${network.namespace}`,
        ...['unshare', '--mount', '--pid', '--fork', '--kill-child=SIGKILL', '--mount-proc'],
        ...['sh', '-c', script],
      ],
      folder,
    },
    watchdog,
  );
  await daemon.ready(async () => existsSync(signal), 10_000);
  const namespaces = `/proc/${daemon.pid}/ns`;
  return {
    daemon,
    enter: (command, args) => ({
      command: 'nsenter',
      args: [
        `--net=${namespaces}/net`,
        `--mount=${namespaces}/mnt`,
        `--pid=${namespaces}/pid_for_children`,
        '--',
        command,
        ...args,
      ],
    }),
  };
}
