import { connect, KubeError } from '@sandbank/kube';
import { CustomResourceDefinition } from '@sandbank/kube/kinds';
import { parse } from 'yaml';
import { crdTexts } from './print.ts';

export interface Cluster {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly timeoutMs: number;
}

const FIELD_MANAGER = 'sandbank';

/** Applies the CRDs side by side and waits, on a watch, until each is Established. */
export async function applyCrds(
  cluster: Cluster,
  groups: readonly string[] | undefined,
  say: (text: string) => void,
): Promise<void> {
  const crds = crdTexts(groups).map((text) => parse(text) as CustomResourceDefinition & { metadata: { name: string } });
  const signal = AbortSignal.timeout(cluster.timeoutMs);
  await using connection = await connect({ ...cluster, deadlineMs: cluster.timeoutMs });
  const { client } = connection;
  await Promise.all(
    crds.map(async (crd) => {
      await client.apply(CustomResourceDefinition, crd, { fieldManager: FIELD_MANAGER, force: true, signal });
      await established(crd.metadata.name);
      say(`${crd.metadata.name} established`);
    }),
  );

  async function established(name: string): Promise<void> {
    // The server ends a watch when it likes (a busy API server does so soon after a CRD change), so watch again until it is so.
    while (!signal.aborted) {
      for await (const event of client.watch(CustomResourceDefinition, {
        fieldSelector: `metadata.name=${name}`,
        signal,
      })) {
        if (event.type === 'BOOKMARK') continue;
        const { object } = event;
        if (isTrue(object, 'Established')) return;
        if (isFalse(object, 'NamesAccepted')) throw refused(name, object);
      }
    }
    throw new KubeError(
      'timeout',
      `${name} was applied but is not established after ${cluster.timeoutMs / 1000} s. Look at \`kubectl describe crd ${name}\`.`,
    );
  }
}

const conditionOf = (crd: CustomResourceDefinition, type: string) =>
  crd.status?.conditions?.find((condition) => condition.type === type);
const isTrue = (crd: CustomResourceDefinition, type: string) => conditionOf(crd, type)?.status === 'True';
const isFalse = (crd: CustomResourceDefinition, type: string) => conditionOf(crd, type)?.status === 'False';

function refused(name: string, crd: CustomResourceDefinition): KubeError {
  const why = conditionOf(crd, 'NamesAccepted')?.message ?? 'no reason given';
  return new KubeError('conflict', `${name} was refused: ${why}. Another CRD holds the name; remove one of the two.`);
}
