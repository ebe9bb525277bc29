import type { Resource } from '../registry/resource.ts';

/** Where objects live in the store: `/registry/<group>/<plural>/<namespace>/<name>`. One kind at all its versions shares a place. */
export function collectionPrefix(
  resource: Pick<Resource, 'group' | 'plural' | 'namespaced'>,
  namespace?: string,
): string {
  const root = `/registry/${resource.group || 'core'}/${resource.plural}/`;
  return resource.namespaced && namespace !== undefined ? `${root}${namespace}/` : root;
}

export function objectKey(
  resource: Pick<Resource, 'group' | 'plural' | 'namespaced'>,
  namespace: string | undefined,
  name: string,
): string {
  return `${collectionPrefix(resource, resource.namespaced ? (namespace ?? '') : undefined)}${name}`;
}
