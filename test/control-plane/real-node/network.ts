import { execFileSync } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { ControlPlaneError } from '../errors.ts';
import { environmentOf } from '../process/environment.ts';
import type { Watchdog } from '../process/watchdog.ts';

/** A network namespace for a node, one cable to the machine, and a subnet that nobody else here uses. */
export type NodeNetwork = {
  readonly id: string;
  readonly namespace: string;
  /** The machine's end of the cable, where the API server listens. */
  readonly machineAddress: string;
  /** The node's end, where the kubelet listens. */
  readonly nodeAddress: string;
  readonly podSubnet: string;
  readonly podGateway: string;
};

export function createNetwork(watchdog: Watchdog): NodeNetwork {
  const id = randomBytes(4).toString('hex');
  const namespace = `sandbank-${id}`;
  // Names of links hold 15 characters.
  const [machineLink, nodeLink] = [`sb${id}m`, `sb${id}n`];
  const env = environmentOf(watchdog.marker);
  const prefix = unusedPrefix(env);
  const network: NodeNetwork = {
    id,
    namespace,
    machineAddress: `${prefix}.1`,
    nodeAddress: `${prefix}.2`,
    podSubnet: `${prefix}.128/25`,
    podGateway: `${prefix}.129`,
  };

  // Listed before they exist: a crash in between must leave nothing either.
  watchdog.addNetworkNamespace(namespace);
  watchdog.addLink(machineLink);
  ip(env, 'netns', 'add', namespace);
  ip(env, 'link', 'add', machineLink, 'type', 'veth', 'peer', 'name', nodeLink, 'netns', namespace);
  ip(env, 'address', 'add', `${network.machineAddress}/30`, 'dev', machineLink);
  ip(env, 'link', 'set', machineLink, 'up');
  ip(env, '-n', namespace, 'link', 'set', 'lo', 'up');
  ip(env, '-n', namespace, 'address', 'add', `${network.nodeAddress}/30`, 'dev', nodeLink);
  ip(env, '-n', namespace, 'link', 'set', nodeLink, 'up');
  ip(env, '-n', namespace, 'route', 'add', 'default', 'via', network.machineAddress);
  // Pods are reached from the machine through their node.
  ip(env, 'route', 'add', network.podSubnet, 'via', network.nodeAddress);
  return network;
}

/** The first three numbers of a private /24 that no address and no route of this machine touches. */
function unusedPrefix(env: Record<string, string>): string {
  const known = `${ip(env, '-4', '-o', 'address', 'show')}\n${ip(env, '-4', 'route', 'show', 'table', 'all')}`;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    const prefix = `10.${randomInt(200, 250)}.${randomInt(1, 255)}`;
    if (!known.includes(`${prefix}.`)) return prefix;
  }
  throw new ControlPlaneError(
    'NO_REAL_NODE',
    'No private subnet between 10.200.0.0 and 10.249.0.0 is free on this machine.',
  );
}

function ip(env: Record<string, string>, ...args: string[]): string {
  try {
    return execFileSync('ip', args, { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new ControlPlaneError('NO_REAL_NODE', `'ip ${args.join(' ')}' failed: the node gets no network.`, {
      cause: error,
    });
  }
}
