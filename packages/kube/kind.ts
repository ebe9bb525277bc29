import type { KubeObject } from './object.ts';

declare const objectType: unique symbol;

/**
 * The key of a kind for client, cache and controller: `client.get(Pod, key)` is typed by it.
 * No plural and no group is written anywhere else. `@sandbank/kube/kinds` has the built-in ones;
 * a custom kind is `defineKind<Widget>({...})`, or comes from a schema (see `@sandbank/api`).
 */
export interface Kind<T extends KubeObject = KubeObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly [objectType]?: T;
}

export type ObjectOf<K> = K extends Kind<infer T> ? T : never;

export function defineKind<T extends KubeObject>(kind: Omit<Kind, typeof objectType>): Kind<T> {
  return Object.freeze({ ...kind });
}

export function apiVersionOf(kind: Pick<Kind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

/** `pods`, `pools.sandbox.opensandbox.io`: how errors and metrics name a resource. */
export function resourceName(kind: Pick<Kind, 'group' | 'plural'>): string {
  return kind.group === '' ? kind.plural : `${kind.plural}.${kind.group}`;
}

/** The URL path of a collection. Segments are encoded here and nowhere else, so no name can climb out of its place. */
export function collectionPath(kind: Kind, namespace?: string): string {
  const root = kind.group === '' ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  return kind.namespaced && namespace
    ? `${root}/namespaces/${encodeURIComponent(namespace)}/${kind.plural}`
    : `${root}/${kind.plural}`;
}

export function objectPath(
  kind: Kind,
  key: { namespace?: string | undefined; name: string },
  subresource?: string,
): string {
  const path = `${collectionPath(kind, key.namespace)}/${encodeURIComponent(key.name)}`;
  return subresource ? `${path}/${subresource}` : path;
}
