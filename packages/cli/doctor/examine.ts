import { allKinds } from '@sandbank/api';
import { type Client, connect, isForbidden, KubeError, resourceName } from '@sandbank/kube';
import { CustomResourceDefinition, SelfSubjectAccessReview } from '@sandbank/kube/kinds';
import type { Cluster } from '../crds/apply.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly message: string;
  readonly remedy?: string;
}

/** Runs the checks in the order in which they depend on each other; stops where the next can't be judged. */
export async function examine(cluster: Cluster, report: (check: Check) => void): Promise<Check[]> {
  const checks: Check[] = [];
  const add = (check: Check) => {
    checks.push(check);
    report(check);
  };
  try {
    await using connection = await connect({ ...cluster, deadlineMs: cluster.timeoutMs });
    const { client, config, version } = connection;
    add({ name: 'connection', ok: true, message: `${config.server}, Kubernetes ${version.gitVersion}` });
    add(await crdCheck(client, cluster.timeoutMs));
    add(await permissionCheck(client, cluster.timeoutMs));
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    add({ name: checks.length === 0 ? 'connection' : 'cluster', ok: false, message: error.message });
  }
  return checks;
}

async function crdCheck(client: Client, timeoutMs: number): Promise<Check> {
  const remedy = 'Install them: sandbank crds apply';
  try {
    const { items } = await client.list(CustomResourceDefinition, { timeoutMs });
    const established = new Set(
      items
        .filter((crd) => crd.status?.conditions?.some((c) => c.type === 'Established' && c.status === 'True'))
        .map((crd) => crd.metadata?.name),
    );
    const missing = allKinds.map((kind) => resourceName(kind)).filter((name) => !established.has(name));
    return missing.length === 0
      ? { name: 'CRDs', ok: true, message: `all ${allKinds.length} established` }
      : { name: 'CRDs', ok: false, message: `missing or not established: ${missing.join(', ')}`, remedy };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return {
      name: 'CRDs',
      ok: false,
      message: error.message,
      remedy: 'Use credentials that may list customresourcedefinitions.',
    };
  }
}

async function permissionCheck(client: Client, timeoutMs: number): Promise<Check> {
  const denied: string[] = [];
  await Promise.all(
    allKinds.map(async (kind) => {
      const review = await client.create(
        SelfSubjectAccessReview,
        { metadata: {}, spec: { resourceAttributes: { group: kind.group, resource: kind.plural, verb: 'list' } } },
        { timeoutMs },
      );
      if (!review.status?.allowed) denied.push(resourceName(kind));
    }),
  );
  if (denied.length === 0) return { name: 'permissions', ok: true, message: 'these credentials may list every kind' };
  return {
    name: 'permissions',
    ok: false,
    message: `these credentials may not list ${denied.sort().join(', ')} in all namespaces`,
    remedy: 'Bind a ClusterRole with get, list and watch on them to the user or service account.',
  };
}
