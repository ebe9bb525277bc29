import type { Kind } from '../kind.ts';
import { defineKind } from '../kind.ts';
import type { KubeObject, ObjectKey, ObjectMeta } from '../object.ts';
import type { CallOptions, Client, DeleteOptions, WriteOptions } from './contract.ts';

/**
 * Subresources whose body is of another kind than the object they belong to. Those of the same kind (`status`, and
 * whatever a CRD adds) are reached with the `subresource` option of the client's own verbs.
 */

export interface Scale extends KubeObject {
  spec?: { replicas?: number };
  status?: { replicas?: number; selector?: string };
}

export interface TokenRequest extends KubeObject {
  spec: { audiences?: string[]; expirationSeconds?: number; boundObjectRef?: object };
  status?: { token?: string; expirationTimestamp?: string };
}

interface Binding extends KubeObject {
  target: { apiVersion: string; kind: string; name: string };
}

interface Eviction extends KubeObject {
  deleteOptions?: object;
}

const podEviction = defineKind<Eviction>({ group: '', version: 'v1', kind: 'Pod', plural: 'pods', namespaced: true });
const podBinding = defineKind<Binding>({ group: '', version: 'v1', kind: 'Binding', plural: 'pods', namespaced: true });
const accountToken = defineKind<TokenRequest>({
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  plural: 'serviceaccounts',
  namespaced: true,
});

export function getScale(client: Client, kind: Kind, key: ObjectKey, options?: CallOptions): Promise<Scale> {
  return client.get(kind as Kind<Scale>, key, { ...options, subresource: 'scale' });
}

export function setScale(
  client: Client,
  kind: Kind,
  key: ObjectKey,
  replicas: number,
  options?: WriteOptions,
): Promise<Scale> {
  return client.patch(
    kind as Kind<Scale>,
    key,
    { merge: { spec: { replicas } } },
    { ...options, subresource: 'scale' },
  );
}

/** Deletes a pod unless a disruption budget forbids it; then the error is 'too-many-requests'. */
export async function evict(client: Client, key: ObjectKey, options: DeleteOptions = {}): Promise<void> {
  const { uid, resourceVersion, propagation, gracePeriodSeconds, dryRun, signal, timeoutMs } = options;
  const guarded = uid !== undefined || resourceVersion !== undefined;
  await client.create(
    podEviction,
    {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: metadataOf(key),
      deleteOptions: {
        preconditions: guarded ? { uid, resourceVersion } : undefined,
        propagationPolicy: propagation,
        gracePeriodSeconds,
      },
    },
    { subresource: 'eviction', dryRun, signal, timeoutMs },
  );
}

/** What a scheduler does: gives a pod its node. */
export async function bindPod(client: Client, key: ObjectKey, node: string, options?: WriteOptions): Promise<void> {
  const target = { apiVersion: 'v1', kind: 'Node', name: node };
  await client.create(podBinding, { metadata: metadataOf(key), target }, { ...options, subresource: 'binding' });
}

/** A token for a service account, bound and expiring as asked. */
export async function requestToken(
  client: Client,
  account: ObjectKey,
  spec: TokenRequest['spec'] = {},
  options?: WriteOptions,
): Promise<{ token: string; expires: string }> {
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', metadata: metadataOf(account), spec };
  const { status } = await client.create(accountToken, request, { ...options, subresource: 'token' });
  return { token: status?.token ?? '', expires: status?.expirationTimestamp ?? '' };
}

function metadataOf(key: ObjectKey): ObjectMeta {
  return key.namespace ? { name: key.name, namespace: key.namespace } : { name: key.name };
}
