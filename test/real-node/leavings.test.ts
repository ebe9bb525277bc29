import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { crash } from '../control-plane/crash.ts';
import { canRunRealNode, startControlPlane, TEST_IMAGE } from '../control-plane/index.ts';
import { cgroupHierarchies } from '../control-plane/process/clean-up.ts';
import { isAlive } from '../control-plane/process/identity.ts';

/** Everything by which one node could be noticed from outside: other nodes may come and go meanwhile. */
function traces(nodeName: string, folder: string): string[] {
  const id = nodeName.replace('node-', '');
  const lines = (command: string, ...args: string[]): string[] =>
    execFileSync(command, args, { encoding: 'utf8' }).split('\n');
  return [
    ...lines('ip', 'netns', 'list').filter((line) => line.includes(id)),
    ...lines('ip', '-o', 'link', 'show', 'type', 'veth').filter((line) => line.includes(id)),
    ...lines('ip', 'route', 'show').filter((line) => line.includes(id)),
    ...lines('ps', '-eo', 'args').filter((line) => line.includes(folder)),
    ...readFileSync('/proc/self/mounts', 'utf8')
      .split('\n')
      .filter((line) => line.includes(folder)),
    ...cgroupHierarchies()
      .map((root) => join(root, `sandbank-${id}`))
      .filter(existsSync),
  ];
}

/** Where daemons like to leave things, whatever they are told. */
function habitats(): string[] {
  return [
    '/var/lib/kubelet',
    '/var/lib/cni',
    '/var/log/pods',
    '/var/log/containers',
    '/opt/containerd',
    '/run/containerd',
    '/usr/libexec/kubernetes',
  ].filter(existsSync);
}

const POD = `apiVersion: v1
kind: Pod
metadata: { name: left }
spec: { containers: [{ name: main, image: ${TEST_IMAGE}, imagePullPolicy: Never }] }`;

describe.skipIf(!canRunRealNode().ok)('a real node leaves nothing behind', () => {
  test('when it is stopped with a pod on it', async () => {
    const before = habitats();
    let after: () => string[];
    {
      await using cluster = await startControlPlane({ realNode: true });
      const { nodeName, folder } = cluster;
      after = () => traces(nodeName, folder);
      await cluster.kubectl(['apply', '-f', '-'], { stdin: POD });
      await cluster.kubectl(['wait', '--for=condition=Ready', 'pod/left', '--timeout=60s']);
      expect(after().join('\n')).toContain('containerd-shim');
    }
    expect(after()).toEqual([]);
    expect(habitats()).toEqual(before);
  });

  test('when whoever started it is killed', async () => {
    const {
      folder,
      processes,
      nodeName = '',
    } = await crash({ realNode: true }, (running) => {
      expect(traces(running.nodeName ?? '', running.folder).join('\n')).toContain('containerd');
    });
    await expect.poll(() => existsSync(folder), { timeout: 30_000 }).toBe(false);
    expect(processes.filter(isAlive)).toEqual([]);
    expect(traces(nodeName, folder)).toEqual([]);
  });
});
