import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, missing, startControlPlane } from './index.ts';
import { identify, isAlive, type ProcessIdentity } from './process/identity.ts';
import { Rest } from './rest.ts';
import { realApiServer } from './suite.ts';

const CONFIG_MAP = JSON.stringify({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'kept' },
  data: { key: 'value' },
});

const READ_PODS = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: read-pods }
rules:
  - { apiGroups: [''], resources: [pods], verbs: [get, list] }
`;

describe.skipIf(missing(['etcd', 'kube-apiserver', 'kubectl', 'helm']) !== undefined)(
  'a control plane of one test',
  () => {
    let cluster: ControlPlane;
    let scratch: string;

    beforeAll(async () => {
      scratch = mkdtempSync(join(tmpdir(), 'sandbank-test-'));
      cluster = await startControlPlane();
    });
    afterAll(async () => {
      await cluster[Symbol.asyncDispose]();
      rmSync(scratch, { recursive: true, force: true });
    });

    test('knows the administrator by token and by certificate', async () => {
      const whoami = ['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'];
      expect(await cluster.kubectl(whoami)).toBe('admin');
      expect(await cluster.kubectl(whoami, { kubeconfig: cluster.adminCertificateKubeconfig })).toBe(
        'admin-certificate',
      );
    });

    test('calls itself by its real version, for kubectl and for helm', async () => {
      const version = JSON.parse(await cluster.kubectl(['version', '-o', 'json'])) as {
        serverVersion: { gitVersion: string };
      };
      expect(version.serverVersion.gitVersion).toMatch(/^v1\.36\./);
      expect(await cluster.helm(['list', '-o', 'json'])).toBe('[]\n');
    });

    test('gives a service account what its files grant, and nothing else', async () => {
      const file = join(scratch, 'read-pods.yaml');
      writeFileSync(file, READ_PODS);
      const kubeconfig = await cluster.kubeconfigFor('quiet/reader', [file]);
      expect(await cluster.kubectl(['get', 'pods', '-o', 'name'], { kubeconfig })).toBe('');
      await expect(cluster.kubectl(['get', 'secrets'], { kubeconfig })).rejects.toThrow(
        /system:serviceaccount:quiet:reader.*cannot list/s,
      );
      await expect(cluster.kubectl(['get', 'pods', '-n', 'default'], { kubeconfig })).rejects.toThrow(/forbidden/i);
    });

    test('refuses files that grant nothing', async () => {
      const file = join(scratch, 'config-map.yaml');
      writeFileSync(file, CONFIG_MAP);
      await expect(cluster.kubeconfigFor('quiet/other', [file])).rejects.toThrow(/ConfigMap.*is no permission/);
    });

    test('keeps its objects when the API server is killed and started again', async () => {
      await cluster.kubectl(['apply', '-f', '-'], { stdin: CONFIG_MAP });
      await cluster.killApiServer('SIGKILL');
      const rest = new Rest(cluster.url, cluster.ca, cluster.adminToken);
      expect(await rest.ready()).toBe(false);
      await cluster.startApiServer();
      expect(await cluster.kubectl(['get', 'configmap', 'kept', '-o', 'jsonpath={.data.key}'])).toBe('value');
    });

    test('falls silent when paused and answers again when resumed', async () => {
      const rest = new Rest(cluster.url, cluster.ca, cluster.adminToken);
      await cluster.pause();
      await expect(rest.send('GET', '/readyz', undefined, undefined, 200)).rejects.toThrow();
      cluster.resume();
      await expect.poll(() => rest.ready()).toBe(true);
    });

    test('leaves no process and no folder, and its data only where it was asked to', async () => {
      const data = join(scratch, 'data');
      let folder: string;
      let processes: (ProcessIdentity | undefined)[];
      {
        await using other = await startControlPlane({ dataDir: data });
        folder = other.folder;
        processes = Object.values(other.pids).map(identify);
        await other.kubectl(['apply', '-f', '-'], { stdin: CONFIG_MAP });
      }
      expect(processes).toHaveLength(2);
      expect(processes.map((one) => one !== undefined && isAlive(one))).toEqual([false, false]);
      expect(existsSync(folder)).toBe(false);

      await using again = await startControlPlane({ dataDir: data });
      expect(await again.kubectl(['get', 'configmap', 'kept', '-o', 'name'])).toBe('configmap/kept\n');
    });

    test('says why when it cannot start', async () => {
      await expect(startControlPlane({ extraArgs: ['--no-such-flag'] })).rejects.toThrow(
        /unknown flag: --no-such-flag/,
      );
    });
  },
);

const shared = realApiServer();
describe.skipIf(shared === null)('the shared control plane', () => {
  test('collects what lost its owner', async () => {
    if (shared === null) return;
    const rest = new Rest(shared.url, shared.ca, shared.token);
    const path = '/api/v1/namespaces/default/configmaps';
    const create = (name: string, ownerReferences: object[]): Promise<unknown> =>
      rest.expect('POST', path, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ownerReferences } });
    const owner = (await create('owner', [])) as { metadata: { uid: string } };
    await create('owned', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid }]);
    await rest.expect('DELETE', `${path}/owner`);
    await expect.poll(async () => (await rest.send('GET', `${path}/owned`)).status, { timeout: 20_000 }).toBe(404);
  });
});
