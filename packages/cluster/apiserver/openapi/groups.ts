/** The served kinds by group and version, in the order in which clients prefer them. */
import type { Resource } from '../registry/resource.ts';

export interface ServedVersion {
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, or `v1` in the core group. */
  readonly groupVersion: string;
  /** By name. */
  readonly resources: readonly Resource[];
}

export interface ServedGroup {
  readonly name: string;
  /** The preferred one first. */
  readonly versions: readonly [ServedVersion, ...ServedVersion[]];
}

/** As the real server ranks them. Custom groups come after, by name. */
const ORDER = [
  '',
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

export function servedGroups(resources: readonly Resource[]): ServedGroup[] {
  const groups = Map.groupBy(resources, ({ group }) => group);
  return [...groups]
    .sort(([a], [b]) => rank(a) - rank(b) || compareText(a, b))
    .flatMap(([name, members]) => {
      const [first, ...rest] = versionsOf(name, members);
      return first ? [{ name, versions: [first, ...rest] }] : [];
    });
}

function versionsOf(group: string, members: readonly Resource[]): ServedVersion[] {
  return [...Map.groupBy(members, ({ version }) => version)]
    .sort(([a], [b]) => compareVersions(a, b))
    .map(([version, kinds]) => ({
      group,
      version,
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: [...kinds].sort((a, b) => compareText(a.plural, b.plural)),
    }));
}

const rank = (group: string) => {
  const at = ORDER.indexOf(group);
  return at < 0 ? ORDER.length : at;
};

const MATURITY: Readonly<Record<string, number>> = { alpha: 0, beta: 1 };

/** v2, v1, v1beta2, v1beta1, v1alpha1, then whatever is no version, by name. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [parseVersion(a), parseVersion(b)];
  if (!left || !right) return left ? -1 : right ? 1 : compareText(a, b);
  return right.stage - left.stage || right.major - left.major || right.minor - left.minor;
}

function parseVersion(version: string): { stage: number; major: number; minor: number } | undefined {
  const match = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/.exec(version);
  if (!match) return undefined;
  const [, major, stage, minor] = match;
  return { stage: stage === undefined ? 2 : (MATURITY[stage] ?? 0), major: Number(major), minor: Number(minor ?? 0) };
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
