/** APIService objects: one for every group and version that is served here. They are told, never written. */
import type { Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';

/** The core group first, then ours, then custom ones: the order in which clients prefer them. */
const PRIORITIES: Readonly<Record<string, number>> = { '': 18_000, apps: 17_800, 'apiextensions.k8s.io': 16_700 };

export function apiServices(resources: readonly Resource[], since: string): JsonObject[] {
  const served = new Map(
    resources.map(({ group, version, builtin }) => [`${version}.${group}`, { group, version, builtin }]),
  );
  return [...served]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { group, version, builtin }]) => ({
      kind: 'APIService',
      apiVersion: 'apiregistration.k8s.io/v1',
      metadata: {
        name,
        creationTimestamp: since,
        labels: { 'kube-aggregator.kubernetes.io/automanaged': builtin ? 'onstart' : 'true' },
      },
      spec: {
        ...(group === '' ? {} : { group }),
        version,
        groupPriorityMinimum: PRIORITIES[group] ?? (builtin ? 17_000 : 1000),
        versionPriority: builtin ? 15 : 100,
      },
      status: {
        conditions: [
          {
            type: 'Available',
            status: 'True',
            lastTransitionTime: since,
            reason: 'Local',
            message: 'Local APIServices are always available',
          },
        ],
      },
    }));
}
