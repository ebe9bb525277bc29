import { connect, type New } from '@sandbank/kube';
import { ConfigMap, CustomResourceDefinition, Namespace, Pod } from '@sandbank/kube/kinds';
import { type ControlPlane, startControlPlane } from '../../test/control-plane/index.ts';
import { NAMESPACE, Widget } from './sides.ts';

export interface Counts {
  readonly pods: number;
  readonly widgets: number;
  readonly configmaps: number;
}

const AT_ONCE = 64;

/** A real API server with TLS, filled with objects of the size that users have. */
export async function openWorld(counts: Counts, say: (line: string) => void): Promise<ControlPlane> {
  const cluster = await startControlPlane({});
  try {
    await using connection = await connect({
      kubeconfig: cluster.adminKubeconfig,
      transport: { connections: AT_ONCE },
    });
    const { client } = connection;
    await client.create(Namespace, { metadata: { name: NAMESPACE } });
    await client.create(CustomResourceDefinition, widgetCrd);
    const known = async () =>
      client.list(Widget, { limit: 1 }).then(
        () => true,
        () => false,
      );
    while (!(await known())) await new Promise((resolve) => setTimeout(resolve, 100));
    await many(counts.configmaps, (number) =>
      client.create(ConfigMap, {
        metadata: { namespace: NAMESPACE, name: `object-${number}` },
        data: { key: 'value' },
      }),
    );
    say(`${counts.configmaps} config maps`);
    await many(counts.pods, (number) => client.create(Pod, pod(number)));
    say(`${counts.pods} pods`);
    await many(counts.widgets, (number) => client.create(Widget, widget(number)));
    say(`${counts.widgets} custom resources`);
    return cluster;
  } catch (error) {
    await cluster[Symbol.asyncDispose]();
    throw error;
  }
}

async function many(count: number, make: (number: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    while (next < count) await make(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

const labels = (number: number) => ({ app: 'sandbox', pool: `pool-${number % 20}`, 'pod-template-hash': 'b7d6f8c9d' });

function pod(number: number): New<Pod> {
  return {
    metadata: {
      namespace: NAMESPACE,
      name: `pod-${number}`,
      labels: labels(number),
      annotations: { note: 'x'.repeat(200) },
    },
    spec: {
      nodeName: `node-${number % 10}`,
      containers: [
        {
          name: 'main',
          image: 'registry.example/sandbox:1',
          env: Array.from({ length: 10 }, (_, index) => ({ name: `VARIABLE_${index}`, value: `value-${index}` })),
          resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
          readinessProbe: { httpGet: { path: '/health', port: 49983 } },
        },
      ],
    },
  } as New<Pod>;
}

function widget(number: number): New<Widget> {
  return {
    metadata: { namespace: NAMESPACE, name: `widget-${number}`, labels: labels(number) },
    spec: { note: 'x'.repeat(600), list: [1, 2, 3] },
  };
}

const widgetCrd: New<CustomResourceDefinition> = {
  metadata: { name: `${Widget.plural}.${Widget.group}` },
  spec: {
    group: Widget.group,
    scope: 'Namespaced',
    names: { kind: Widget.kind, plural: Widget.plural },
    versions: [
      {
        name: Widget.version,
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};
