import { join } from 'node:path';
import { need } from './binaries.ts';
import type { ComponentOptions } from './controllers.ts';
import { Daemon } from './process/daemon.ts';
import type { Rest } from './rest.ts';

/**
 * Nodes whose pods run in name only. kwok plays them until our own simulated node does; whoever comes next implements
 * this and nothing else changes.
 */
export type SimulatedNodes = {
  start(options: ComponentOptions & { readonly count: number; readonly rest: Rest }): Promise<Daemon>;
};

const ANNOTATION = { 'kwok.x-k8s.io/node': 'fake' };

export const kwok: SimulatedNodes = {
  async start({ count, rest, folder, kubeconfig, watchdog }) {
    const daemon = Daemon.start(
      {
        name: 'kwok',
        command: need('kwok'),
        folder,
        // kwok merges a configuration from the home folder, which is none of this test's business.
        env: { HOME: folder },
        args: [
          `--config=${join(import.meta.dirname, 'kwok-stages.yaml')}`,
          `--kubeconfig=${kubeconfig}`,
          '--manage-all-nodes=false',
          '--manage-nodes-with-annotation-selector=kwok.x-k8s.io/node=fake',
          '--node-lease-duration-seconds=40',
          '--cidr=10.64.0.0/12',
        ],
      },
      watchdog,
    );
    const names = Array.from({ length: count }, (_, index) => `simulated-${index}`);
    await Promise.all(names.map((name) => rest.expect('POST', '/api/v1/nodes', node(name))));
    await daemon.ready(async () => (await Promise.all(names.map((name) => isReady(rest, name)))).every(Boolean));
    return daemon;
  },
};

/** Ready, and without the taint that a new node carries until kube-controller-manager has seen it ready. */
export async function isReady(rest: Rest, name: string): Promise<boolean> {
  const answer = await rest.send('GET', `/api/v1/nodes/${name}`);
  if (answer.status !== 200) return false;
  const found = JSON.parse(answer.body) as {
    spec: { taints?: unknown[] };
    status: { conditions?: { type: string; status: string }[] };
  };
  const ready = found.status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && (found.spec.taints ?? []).length === 0;
}

function node(name: string): object {
  const size = { cpu: '1000', memory: '4Ti', pods: '100000' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      annotations: ANNOTATION,
      labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux', 'kubernetes.io/arch': 'amd64' },
    },
    status: {
      capacity: size,
      allocatable: size,
      addresses: [
        { type: 'InternalIP', address: '127.0.0.1' },
        { type: 'Hostname', address: name },
      ],
    },
  };
}
