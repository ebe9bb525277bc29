import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { need } from '../binaries.ts';
import type { Authority, KeyPair } from '../certificates.ts';
import { writeKubeconfig } from '../kubeconfig.ts';
import { cgroupHierarchies } from '../process/clean-up.ts';
import { Daemon } from '../process/daemon.ts';
import type { Watchdog } from '../process/watchdog.ts';
import type { Cage } from './cage.ts';
import type { NodeNetwork } from './network.ts';

export type KubeletOptions = {
  readonly folder: string;
  readonly name: string;
  readonly network: NodeNetwork;
  readonly authority: Authority;
  readonly apiServerUrl: string;
  readonly runtimeSocket: string;
  readonly cage: Cage;
  readonly watchdog: Watchdog;
};

export async function startKubelet(options: KubeletOptions): Promise<Daemon> {
  const { name, network, authority, watchdog } = options;
  const home = join(options.folder, 'kubelet');
  mkdirSync(home, { recursive: true });
  const cgroup = createCgroup(network, watchdog);
  const client = await authority.client(`system:node:${name}`, ['system:nodes']);
  const kubeconfig = writeKubeconfig(join(home, 'kubeconfig'), {
    url: options.apiServerUrl,
    ca: authority.pem,
    user: name,
    identity: { clientCertificate: client },
  });
  const serving = await authority.server(name, [name, network.nodeAddress]);
  writeFileSync(join(home, 'resolv.conf'), '');
  writeFileSync(join(home, 'config.json'), JSON.stringify(configuration(options, home, cgroup, serving), undefined, 2));
  return Daemon.start(
    {
      name: 'kubelet',
      folder: options.folder,
      ...options.cage.enter(need('kubelet'), [
        `--config=${join(home, 'config.json')}`,
        `--kubeconfig=${kubeconfig}`,
        `--hostname-override=${name}`,
        `--node-ip=${network.nodeAddress}`,
        `--root-dir=${join(home, 'root')}`,
        `--cert-dir=${join(home, 'pki')}`,
      ]),
    },
    watchdog,
  );
}

/** Pods of this node live below one cgroup: what is left in it after a crash is ours to end. The kubelet wants it made. */
function createCgroup(network: NodeNetwork, watchdog: Watchdog): string {
  const name = `sandbank-${network.id}`;
  watchdog.addCgroup(name);
  for (const root of cgroupHierarchies()) mkdirSync(join(root, name), { recursive: true });
  return name;
}

function configuration(options: KubeletOptions, home: string, cgroup: string, serving: KeyPair): object {
  const file = (name: string, content: string): string => {
    writeFileSync(join(home, name), content, { mode: 0o600 });
    return join(home, name);
  };
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: file('ca.crt', options.authority.pem) },
    },
    authorization: { mode: 'Webhook' },
    tlsCertFile: file('serving.crt', serving.certificate),
    tlsPrivateKeyFile: file('serving.key', serving.key),
    containerRuntimeEndpoint: `unix://${options.runtimeSocket}`,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${cgroup}`,
    // 1.36 refuses to run on version 1 otherwise, and some machines still have it.
    failCgroupV1: false,
    failSwapOn: false,
    // Lowering the score is refused in many a container.
    oomScoreAdj: 0,
    enforceNodeAllocatable: [],
    // The machine's disk is not the node's to judge.
    evictionHard: {
      'memory.available': '0%',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
      'imagefs.inodesFree': '0%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    podLogsDir: join(home, 'pod-logs'),
    volumePluginDir: join(home, 'volume-plugins'),
    resolvConf: join(home, 'resolv.conf'),
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    nodeStatusUpdateFrequency: '5s',
  };
}
