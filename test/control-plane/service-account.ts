import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { ControlPlaneError } from './errors.ts';
import type { Rest } from './rest.ts';

type Manifest = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly roleRef?: { readonly apiGroup: string; readonly kind: string; readonly name: string };
};

export type ServiceAccountRef = { readonly namespace: string; readonly name: string };

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** Where objects of a kind live. Permissions, and what they are given to, are all that may come from those files. */
const PATHS: Readonly<Record<string, (namespace: string) => string>> = {
  Namespace: () => '/api/v1/namespaces',
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  Role: (namespace) => `${RBAC}/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `${RBAC}/namespaces/${namespace}/rolebindings`,
  ClusterRole: () => `${RBAC}/clusterroles`,
  ClusterRoleBinding: () => `${RBAC}/clusterrolebindings`,
};

/** Parses `name` or `namespace/name`. */
export function parseServiceAccount(text: string): ServiceAccountRef {
  const [first = '', second] = text.split('/');
  return second === undefined ? { namespace: 'default', name: first } : { namespace: first, name: second };
}

/**
 * Makes a service account that may do what the files say and nothing else, and returns a token bound to it. Bindings
 * in the files are taken as they are; a role that none of them binds is bound to this account.
 */
export async function createServiceAccount(
  rest: Rest,
  account: ServiceAccountRef,
  files: readonly string[],
): Promise<string> {
  const manifests = files.flatMap(readManifests);
  const { namespace, name } = account;
  const put = (manifest: Manifest): Promise<void> => {
    const path = PATHS[manifest.kind]?.(manifest.metadata.namespace ?? namespace);
    if (path === undefined) {
      throw new ControlPlaneError(
        'BAD_OPTION',
        `A ${manifest.kind} ('${manifest.metadata.name}') is no permission. Pass files with ${Object.keys(PATHS).join(', ')} only.`,
      );
    }
    return rest.apply(`${path}/${manifest.metadata.name}`, manifest);
  };
  await put({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await put({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } });
  const first = ['Namespace', 'ServiceAccount', 'Role', 'ClusterRole'];
  const rank = (manifest: Manifest): number =>
    first.includes(manifest.kind) ? first.indexOf(manifest.kind) : first.length;
  for (const manifest of manifests.toSorted((a, b) => rank(a) - rank(b))) await put(manifest);
  for (const role of manifests.filter(isRole)) {
    if (!manifests.some((other) => other.roleRef?.kind === role.kind && other.roleRef.name === role.metadata.name)) {
      await put(bindingOf(role, account));
    }
  }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const answer = await rest.expect('POST', path, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 24 * 60 * 60 },
  });
  return (answer as { status: { token: string } }).status.token;
}

function readManifests(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8'))
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

function isRole(manifest: Manifest): boolean {
  return manifest.kind === 'Role' || manifest.kind === 'ClusterRole';
}

function bindingOf(role: Manifest, account: ServiceAccountRef): Manifest & { subjects: object[] } {
  const namespace = role.metadata.namespace ?? account.namespace;
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: `${role.kind}Binding`,
    metadata: { name: `${account.name}-${role.metadata.name}`, ...(role.kind === 'Role' ? { namespace } : {}) },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: role.kind, name: role.metadata.name },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  };
}
