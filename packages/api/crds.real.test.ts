import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { apiVersionOf, collectionPath, objectPath } from '@sandbank/kube';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../test/control-plane/suite.ts';
import type { SharedControlPlane } from '../../test/control-plane/vitest.ts';
import { allKinds } from './crds.ts';
import { Commit, SandboxClaim, SandboxSet } from './kruise/index.ts';
import { SandboxPool } from './navix/index.ts';
import { crdName, crdOf } from './schema/crd.ts';
import type { ApiKind } from './schema/kind.ts';
import {
  type ApiServer,
  type Condition,
  call,
  create,
  installCrds,
  merge,
  ownNamespace,
  read,
  readCrd,
  remove,
} from './testing/api-server.ts';
import { objectOf } from './testing/bad-objects.ts';
import { fullObject } from './testing/full-object.ts';

const server = realApiServer();

describe.skipIf(server === null)('CRDs on a real API server', () => {
  const api = server as ApiServer;
  const cleanup = new AsyncDisposableStack();
  let namespace = '';

  beforeAll(async () => {
    cleanup.use(await installCrds(api, allKinds));
    namespace = cleanup.use(await ownNamespace(api)).name;
  });
  afterAll(() => cleanup.disposeAsync());

  describe.each(allKinds.map((kind) => [crdName(kind), kind] as const))('%s', (_, kind) => {
    test('is established, under all of its names, with a structural schema', async () => {
      const { status } = (await readCrd(api, kind)).body as {
        status?: { conditions: Condition[]; acceptedNames: object };
      };
      const conditions = Object.fromEntries((status?.conditions ?? []).map((one) => [one.type, one.status]));
      expect(conditions).toEqual({ Established: 'True', NamesAccepted: 'True' });
      expect(status?.acceptedNames).toEqual(crdOf(kind).spec.names);
    });

    test('is stored as it was written', async () => {
      const { spec } = (await readCrd(api, kind)).body as unknown as ReturnType<typeof crdOf>;
      expect(spec).toEqual({ ...json(crdOf(kind).spec), conversion: { strategy: 'None' } });
    });

    test('is discovered with its short names and subresources', async () => {
      const { body } = await call<{ resources: { name: string; shortNames?: string[]; namespaced: boolean }[] }>(
        api,
        `/apis/${apiVersionOf(kind)}`,
      );
      const own = body.resources.filter(({ name }) => name.split('/')[0] === kind.plural);
      const [main] = own;
      expect(main).toMatchObject({ kind: kind.kind, namespaced: kind.namespaced });
      expect(main?.shortNames ?? []).toEqual(kind.shortNames);
      const subresources = [...(kind.statusSubresource ? ['status'] : []), ...(kind.scale ? ['scale'] : [])];
      expect(own.slice(1).map(({ name }) => name)).toEqual(subresources.map((name) => `${kind.plural}/${name}`));
    });

    test('is printed in its columns', async () => {
      const object = await stored(kind, 'printed');
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
      const { body } = await call<Table>(api, collectionPath(kind, namespace), { accept });
      const own = body.columnDefinitions.slice(1).map(({ name, type, priority }) => ({ name, type, priority }));
      const wanted = kind.columns.map(({ name, type, priority }) => ({ name, type, priority }));
      expect(own).toEqual(wanted.length > 0 ? wanted : [{ name: 'Age', type: 'date', priority: 0 }]);
      const row = body.rows.find(({ cells }) => cells[0] === 'printed');
      kind.columns.forEach(({ jsonPath, type, name }, index) => {
        if (type !== 'date' && /^[.\w]+$/.test(jsonPath))
          expect.soft(row?.cells[index + 1], name).toEqual(at(object, jsonPath));
      });
    });
  });

  test('no kind takes a change to what is immutable, and the answer names the field', async () => {
    await create(api, SandboxClaim, namespace, objectOf(SandboxClaim, 'fixed', { templateName: 'set' }));
    const claim = objectPath(SandboxClaim, { namespace, name: 'fixed' });
    const refused = await merge(api, claim, { spec: { replicas: 2 } });
    expect(refused).toMatchObject({ code: 422, fields: ['spec.replicas'] });
    expect((await merge(api, claim, { spec: { templateName: 'other' } })).code).toBe(200);

    const spec = { podName: 'p', containerName: 'c', image: 'i' };
    await create(api, Commit, namespace, objectOf(Commit, 'fixed', spec));
    const commit = objectPath(Commit, { namespace, name: 'fixed' });
    for (const change of [
      { podName: 'q' },
      { containerName: 'd' },
      { image: 'j' },
      { squashLayer: 1 },
      { timeoutSeconds: 1 },
    ]) {
      const answer = await merge(api, commit, { spec: change });
      expect.soft(answer).toMatchObject({ code: 422, fields: [`spec.${Object.keys(change)[0]}`] });
    }
    expect((await merge(api, commit, { spec: { ttl: '1h' } })).code).toBe(200);
  });

  test.each([
    ['sandboxsets', SandboxSet, { replicas: 2, availableReplicas: 1, selector: 'app=x' }, 2],
    ['sandboxpools', SandboxPool, { idleReplicas: 1, runningReplicas: 3, selector: 'app=x' }, 3],
  ] as const)('%s can be scaled', async (_, kind, status, running) => {
    await create(api, kind, namespace, objectOf(kind, 'scaled', { replicas: 1 }));
    const path = objectPath(kind, { namespace, name: 'scaled' });
    expect((await merge(api, `${path}/status`, { status })).code).toBe(200);

    const before = await call(api, `${path}/scale`);
    expect(before.body).toMatchObject({ spec: { replicas: 1 }, status: { replicas: running, selector: 'app=x' } });
    expect((await merge(api, `${path}/scale`, { spec: { replicas: 7 } })).code).toBe(200);
    expect((await read(api, kind, namespace, 'scaled')).body).toMatchObject({ spec: { replicas: 7 } });
    expect((await merge(api, `${path}/scale`, { spec: { replicas: -1 } })).code).toBe(422);
  });

  test('kubectl lists and scales by short name', async () => {
    await create(api, SandboxSet, namespace, objectOf(SandboxSet, 'by-kubectl', { replicas: 1 }));
    await kubectl('scale', 'sbs/by-kubectl', '--replicas=3');
    expect((await read(api, SandboxSet, namespace, 'by-kubectl')).body).toMatchObject({ spec: { replicas: 3 } });
    const [head = ''] = (await kubectl('get', 'sbs')).split('\n');
    expect(head.split(/\s+/).filter(Boolean)).toEqual([
      'NAME',
      ...SandboxSet.columns.map(({ name }) => name.toUpperCase()),
    ]);
    expect(await kubectl('explain', 'sandboxclaim.spec.claimTimeout')).toContain('How long the whole claim may take.');
  });

  async function kubectl(...args: string[]): Promise<string> {
    const { binDir, kubeconfig } = server as SharedControlPlane;
    const all = ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args];
    return (await promisify(execFile)(join(binDir, 'kubectl'), all)).stdout;
  }

  test('status and spec are written apart', async () => {
    const object = await stored(SandboxSet, 'apart');
    const path = objectPath(SandboxSet, { namespace, name: 'apart' });
    await merge(api, path, { status: { replicas: 99 } });
    await merge(api, `${path}/status`, { spec: { replicas: 99 } });
    const { body } = await read(api, SandboxSet, namespace, 'apart');
    expect(body).toMatchObject({ spec: object.spec, status: object.status });
  });

  async function stored(kind: ApiKind, name: string): Promise<{ spec: object; status?: object }> {
    const { status, ...object } = fullObject(kind, name) as { status?: object; spec: object };
    expect((await create(api, kind, namespace, object)).message).toBe('');
    if (!kind.namespaced) cleanup.defer(async () => void (await remove(api, kind, '', name)));
    if (status)
      await merge(api, objectPath(kind, { namespace: kind.namespaced ? namespace : undefined, name }, 'status'), {
        status,
      });
    return { ...object, ...(status && { status }) };
  }
});

interface Table {
  readonly columnDefinitions: readonly { name: string; type: string; priority: number }[];
  readonly rows: readonly { cells: readonly unknown[] }[];
}

const json = <T>(value: T): T => JSON.parse(JSON.stringify(value));

function at(object: unknown, path: string): unknown {
  return path
    .split('.')
    .slice(1)
    .reduce<unknown>((inner, name) => (inner as Record<string, unknown> | undefined)?.[name], object);
}
