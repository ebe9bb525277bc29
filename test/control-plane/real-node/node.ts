import type { ApiServer } from '../api-server.ts';
import type { Authority } from '../certificates.ts';
import type { Daemon } from '../process/daemon.ts';
import type { Watchdog } from '../process/watchdog.ts';
import { isReady } from '../simulated-nodes.ts';
import { openCage } from './cage.ts';
import { startContainerd } from './containerd.ts';
import { startKubelet } from './kubelet.ts';
import type { NodeNetwork } from './network.ts';

export type RealNode = { readonly name: string; readonly daemons: readonly Daemon[] };

export type RealNodeOptions = {
  readonly folder: string;
  readonly authority: Authority;
  readonly network: NodeNetwork;
  readonly apiServer: ApiServer;
  readonly watchdog: Watchdog;
};

/** A node with its image, registered and ready for pods. */
export async function startRealNode(options: RealNodeOptions): Promise<RealNode> {
  const { folder, network, watchdog, apiServer, authority } = options;
  const name = `node-${network.id}`;
  const cage = await openCage(folder, network, watchdog);
  const containerd = await startContainerd(folder, network, cage, watchdog);
  const kubelet = await startKubelet({
    folder,
    name,
    network,
    authority,
    apiServerUrl: apiServer.url,
    runtimeSocket: containerd.socket,
    cage,
    watchdog,
  });
  await kubelet.ready(() => isReady(apiServer.rest, name));
  return { name, daemons: [cage.daemon, containerd.daemon, kubelet] };
}
