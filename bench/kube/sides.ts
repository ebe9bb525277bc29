/** The same work by our library, by @kubernetes/client-node, and by undici alone. */
import { readFileSync } from 'node:fs';
import * as clientNode from '@kubernetes/client-node';
import { Cache, connect, defineKind, type KubeObject, loadConfig } from '@sandbank/kube';
import { ConfigMap, Pod } from '@sandbank/kube/kinds';
import { Pool } from 'undici';

export const NAMESPACE = 'bench';
export type Objects = 'pods' | 'widgets' | 'configmaps';

export interface Widget extends KubeObject {
  spec?: unknown;
}
export const Widget = defineKind<Widget>({
  group: 'bench.sandbank.dev',
  version: 'v1',
  kind: 'Widget',
  plural: 'widgets',
  namespaced: true,
});
const kinds = { pods: Pod, widgets: Widget, configmaps: ConfigMap } as const;

/** Keeps a copy of all objects of a kind; `seen` hears of every change after the first sync. */
export interface Mirror {
  readonly size: number;
  valueOf(name: string): string | undefined;
  stop(): Promise<void>;
}
export type Seen = (name: string, version: string) => void;

export interface Side {
  patcher(connections: number): Promise<{ patch(name: string, value: string): Promise<void>; close(): Promise<void> }>;
  mirror(objects: Objects, seen: Seen): Promise<Mirror>;
}

interface Labelled {
  metadata?: { name?: string; resourceVersion?: string; annotations?: Record<string, string> };
}
const patchOf = (value: string) => ({ metadata: { annotations: { value } } });
const valueIn = (object: Labelled | undefined) => object?.metadata?.annotations?.['value'];

const ours: Side = {
  async patcher(connections) {
    const { client, transport } = await connect({ transport: { connections } });
    return {
      async patch(name, value) {
        await client.patch(ConfigMap, { namespace: NAMESPACE, name }, { merge: patchOf(value) });
      },
      close: () => transport.close(),
    };
  },
  async mirror(objects, seen) {
    const { transport } = await connect();
    const cache = new Cache<KubeObject>({ kind: kinds[objects], transport, selection: { namespace: NAMESPACE } });
    await cache.start();
    cache.subscribe((event) => seen(event.object.metadata?.name ?? '', event.object.metadata?.resourceVersion ?? ''), {
      replay: false,
    });
    return {
      get size() {
        return cache.size;
      },
      valueOf: (name) => valueIn(cache.get({ namespace: NAMESPACE, name })),
      async stop() {
        await cache.stop();
        await transport.close();
      },
    };
  },
};

const theirs: Side = {
  async patcher() {
    const api = theirConfig().makeApiClient(clientNode.CoreV1Api);
    const options = clientNode.setHeaderOptions('Content-Type', clientNode.PatchStrategy.MergePatch);
    return {
      async patch(name, value) {
        await api.patchNamespacedConfigMap({ name, namespace: NAMESPACE, body: patchOf(value) }, options);
      },
      async close() {},
    };
  },
  async mirror(objects, seen) {
    const config = theirConfig();
    const informer = theirInformer(config, objects);
    let synced = false;
    const hear = (object: Labelled) =>
      synced && seen(object.metadata?.name ?? '', object.metadata?.resourceVersion ?? '');
    informer.on('add', hear);
    informer.on('update', hear);
    informer.on('delete', hear);
    // As its documentation restarts it: five seconds after an error.
    const restart = () => setTimeout(() => informer.start().catch(restart), 5000);
    informer.on('error', restart);
    await informer.start();
    synced = true;
    return {
      get size() {
        return informer.list().length;
      },
      valueOf: (name) => valueIn(informer.get(name, NAMESPACE)),
      stop: () => informer.stop(),
    };
  },
};

function theirConfig(): clientNode.KubeConfig {
  const config = new clientNode.KubeConfig();
  config.loadFromDefault();
  return config;
}

function theirInformer(
  config: clientNode.KubeConfig,
  objects: Objects,
): clientNode.Informer<Labelled & clientNode.KubernetesObject> &
  clientNode.ObjectCache<Labelled & clientNode.KubernetesObject> {
  const core = config.makeApiClient(clientNode.CoreV1Api);
  const custom = config.makeApiClient(clientNode.CustomObjectsApi);
  const namespace = NAMESPACE;
  if (objects === 'pods')
    return clientNode.makeInformer(config, `/api/v1/namespaces/${namespace}/pods`, () =>
      core.listNamespacedPod({ namespace }),
    );
  if (objects === 'configmaps')
    return clientNode.makeInformer(config, `/api/v1/namespaces/${namespace}/configmaps`, () =>
      core.listNamespacedConfigMap({ namespace }),
    );
  const { group, version, plural } = Widget;
  return clientNode.makeInformer(
    config,
    `/apis/${group}/${version}/namespaces/${namespace}/${plural}`,
    () =>
      custom.listNamespacedCustomObject({ group, version, namespace, plural }) as Promise<
        clientNode.KubernetesListObject<clientNode.KubernetesObject>
      >,
  );
}

/** The floor: the same bytes on the same number of connections, and the answer read but not understood. */
const bare: Side = {
  async patcher(connections) {
    const config = loadConfig();
    const { users, clusters } = JSON.parse(readFileSync(process.env['KUBECONFIG'] ?? '', 'utf8')) as {
      users: { user: { token: string } }[];
      clusters: { cluster: { 'certificate-authority-data'?: string; 'certificate-authority'?: string } }[];
    };
    const cluster = clusters[0]?.cluster ?? {};
    const data = cluster['certificate-authority-data'];
    const ca = data
      ? Buffer.from(data, 'base64').toString()
      : readFileSync(cluster['certificate-authority'] ?? '', 'utf8');
    const pool = new Pool(new URL(config.server).origin, { connections, pipelining: 1, connect: { ca } });
    const headers = {
      authorization: `Bearer ${users[0]?.user.token}`,
      accept: 'application/json',
      'content-type': 'application/merge-patch+json',
      'user-agent': 'bench',
    };
    return {
      async patch(name, value) {
        const { statusCode, body } = await pool.request({
          method: 'PATCH',
          path: `/api/v1/namespaces/${NAMESPACE}/configmaps/${name}`,
          headers,
          body: JSON.stringify(patchOf(value)),
        });
        await body.arrayBuffer();
        if (statusCode !== 200) throw new Error(`the API server answered ${statusCode}`);
      },
      close: () => pool.close(),
    };
  },
  mirror() {
    throw new Error('undici alone keeps no mirror');
  },
};

export const sides = { sandbank: ours, 'client-node': theirs, undici: bare } as const;
export type SideName = keyof typeof sides;
