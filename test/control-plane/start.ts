import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer } from './api-server.ts';
import { Authority, signingKey } from './certificates.ts';
import { ControlPlane } from './control-plane.ts';
import { startControllerManager, startScheduler } from './controllers.ts';
import { startEtcd } from './etcd.ts';
import { writeKubeconfig } from './kubeconfig.ts';
import type { Daemon } from './process/daemon.ts';
import { freePort } from './process/ports.ts';
import { Watchdog } from './process/watchdog.ts';
import { createNetwork } from './real-node/network.ts';
import { startRealNode } from './real-node/node.ts';
import { assertCanRunRealNode } from './real-node/requirements.ts';
import { kwok } from './simulated-nodes.ts';

export type ControlPlaneOptions = {
  /** Garbage collection, service accounts, workloads. On when there are nodes or a scheduler, which need it. */
  readonly controllerManager?: boolean;
  /** Off by default, also with simulated nodes: a test may name the node in its pods. On with a real node. */
  readonly scheduler?: boolean;
  readonly simulatedNodes?: number;
  /** A kubelet with containerd and runc. Takes root: see `canRunRealNode`. */
  readonly realNode?: boolean;
  /** Keeps etcd's data there, and leaves it there. Default: in a folder that goes with the control plane. */
  readonly dataDir?: string;
  /** Port of the API server. Default: a free one. */
  readonly port?: number;
  /** Makes etcd wait for the disk. Off by default. */
  readonly etcdFsync?: boolean;
  /** More flags for kube-apiserver; a flag given twice counts as given here. */
  readonly extraArgs?: readonly string[];
};

/** Starts a control plane and waits until it serves. On failure nothing is left, and the error holds the logs' ends. */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  if (options.realNode) assertCanRunRealNode();
  const folder = mkdtempSync(join(tmpdir(), 'sandbank-control-plane-'));
  const watchdog = new Watchdog(randomBytes(12).toString('hex'), folder);
  try {
    return await assemble(options, folder, watchdog);
  } catch (error) {
    await watchdog.close();
    throw error;
  }
}

async function assemble(options: ControlPlaneOptions, folder: string, watchdog: Watchdog): Promise<ControlPlane> {
  const simulated = options.simulatedNodes ?? 0;
  const realNode = options.realNode ?? false;
  const scheduler = options.scheduler ?? realNode;
  const controllerManager = options.controllerManager ?? (scheduler || simulated > 0 || realNode);
  const dataFolder = options.dataDir ?? folder;
  mkdirSync(dataFolder, { recursive: true });

  const network = realNode ? createNetwork(watchdog) : undefined;
  const address = network?.machineAddress ?? '127.0.0.1';
  const adminToken = randomBytes(24).toString('hex');
  const [authority, etcd] = await Promise.all([
    Authority.create(),
    startEtcd({ folder, dataFolder, fsync: options.etcdFsync ?? false, watchdog }),
  ]);
  const apiServer = await ApiServer.create({
    folder,
    address,
    port: options.port ?? (await freePort(address)),
    etcdUrl: etcd.url,
    adminToken,
    authority,
    serviceAccountKey: signingKey(),
    serviceAccounts: controllerManager,
    extraArgs: options.extraArgs ?? [],
    watchdog,
  });
  const ca = authority.pem;
  const kubeconfig = writeKubeconfig(join(folder, 'admin.kubeconfig'), {
    url: apiServer.url,
    ca,
    user: 'admin',
    identity: { token: adminToken },
  });
  const certificateKubeconfig = writeKubeconfig(join(folder, 'admin-certificate.kubeconfig'), {
    url: apiServer.url,
    ca,
    user: 'admin-certificate',
    identity: { clientCertificate: await authority.client('admin-certificate', ['system:masters']) },
  });
  await apiServer.start();

  const component = { folder, kubeconfig, watchdog };
  const daemons: Daemon[] = [etcd.daemon];
  if (controllerManager) {
    const files = { ca: join(folder, 'ca.crt'), serviceAccountKey: join(folder, 'service-account.key') };
    const manager = startControllerManager({ ...component, ...files });
    daemons.push(manager);
    // What it makes first and pods need first: until then no pod of the default namespace is admitted.
    const account = '/api/v1/namespaces/default/serviceaccounts/default';
    await manager.ready(async () => (await apiServer.rest.send('GET', account)).status === 200);
  }
  if (scheduler) daemons.push(startScheduler(component));
  if (simulated > 0) daemons.push(await kwok.start({ ...component, count: simulated, rest: apiServer.rest }));
  const node = network === undefined ? undefined : await startRealNode({ ...component, authority, network, apiServer });
  if (node !== undefined) daemons.push(...node.daemons);

  return new ControlPlane({
    folder,
    ca,
    adminToken,
    kubeconfig,
    certificateKubeconfig,
    apiServer,
    daemons,
    watchdog,
    nodeName: node?.name,
  });
}
