import { type Connected, connect, execCapture, isNotFound, listenForward, podLogs } from '@sandbank/kube';
import { Pod } from '@sandbank/kube/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, canRunRealNode, startControlPlane, TEST_IMAGE } from '../control-plane/index.ts';

const KEY = { namespace: 'default', name: 'smoke' };

/** Serves one file, says when it starts, and is ready when the file is served. */
const SPEC: Pod['spec'] = {
  terminationGracePeriodSeconds: 0,
  containers: [
    {
      name: 'main',
      image: TEST_IMAGE,
      imagePullPolicy: 'Never',
      command: ['sh', '-c', 'mkdir /www; echo served > /www/file; echo started; exec httpd -f -p 8080 -h /www'],
      readinessProbe: { httpGet: { path: '/file', port: 8080 }, periodSeconds: 1 },
    },
  ],
};

const isReady = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;

describe.skipIf(!canRunRealNode().ok)('a pod on a real node, through our own client', () => {
  let cluster: ControlPlane;
  let kube: Connected;

  beforeAll(async () => {
    cluster = await startControlPlane({ realNode: true });
    kube = await connect({ kubeconfig: cluster.adminKubeconfig });
  });
  afterAll(async () => {
    await kube?.[Symbol.asyncDispose]();
    await cluster?.[Symbol.asyncDispose]();
  });

  test('becomes ready, on that node', async () => {
    const created = await kube.client.create(Pod, { metadata: KEY, spec: SPEC });
    const watch = kube.client.watch(Pod, {
      namespace: KEY.namespace,
      fieldSelector: `metadata.name=${KEY.name}`,
      resourceVersion: created.metadata?.resourceVersion,
      signal: AbortSignal.timeout(60_000),
    });
    for await (const event of watch) if (event.type === 'MODIFIED' && isReady(event.object)) break;
    expect((await kube.client.get(Pod, KEY)).spec?.nodeName).toBe(cluster.nodeName);
  });

  test('has a log', async () => {
    const lines: string[] = [];
    for await (const line of podLogs(kube.transport, KEY)) lines.push(line);
    expect(lines).toEqual(['started']);
  });

  test('runs a command, with its input and its exit code', async () => {
    expect(await execCapture(kube.transport, KEY, ['tr', 'a-z', 'A-Z'], { input: 'hello' })).toEqual({
      code: 0,
      stdout: 'HELLO',
      stderr: '',
    });
    const failed = await execCapture(kube.transport, KEY, ['sh', '-c', 'echo broken >&2; exit 7']);
    expect(failed).toEqual({ code: 7, stdout: '', stderr: 'broken\n' });
  });

  test('is reached at its own address', async () => {
    const { status } = await kube.client.get(Pod, KEY);
    expect(await (await fetch(`http://${status?.podIP}:8080/file`)).text()).toBe('served\n');
  });

  test('is reached through a forwarded port', async () => {
    await using listener = await listenForward(kube.transport, KEY, { remotePort: 8080 });
    const address = `http://127.0.0.1:${listener.port}/file`;
    expect(await (await fetch(address)).text()).toBe('served\n');
    expect(await (await fetch(address)).text()).toBe('served\n');
  });

  test('is the same to kubectl', async () => {
    expect(await cluster.kubectl(['logs', KEY.name])).toBe('started\n');
    expect(await cluster.kubectl(['exec', '-i', KEY.name, '--', 'cat'], { stdin: 'both' })).toBe('both');
  });

  test('is gone when deleted', async () => {
    await kube.client.delete(Pod, KEY);
    const gone = (): Promise<boolean> => kube.client.get(Pod, KEY).then(() => false, isNotFound);
    await expect.poll(gone, { timeout: 60_000 }).toBe(true);
  });
});
