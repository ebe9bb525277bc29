import type { GroupVersionKind, Resource, Schema, Snapshot, Subresource } from './snapshot-format.ts';

/**
 * The group-versions that users of Sandbank and its controllers touch, each with all its kinds.
 * Alpha and beta versions are left out: a kind that may vanish next year is no constant.
 */
export const groupVersions: readonly string[] = [
  'v1',
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];

/** What an API server serves under /api/v1 and /apis/GROUP/VERSION. Subresources are entries of their own, `pods/log`. */
export interface DiscoveryDocument {
  readonly groupVersion: string;
  readonly resources: readonly DiscoveredResource[];
}

interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly kind: string;
  /** Absent where they are those of the document. */
  readonly group?: string;
  readonly version?: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

/** What an API server serves under /openapi/v3/…, as far as it is read. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, unknown>> };
}

export function reduceSnapshot(
  kubernetes: string,
  discovery: readonly DiscoveryDocument[],
  openApi: readonly OpenApiDocument[],
): Snapshot {
  const schemas = new Map<string, Schema>();
  for (const document of openApi) {
    for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
      if (!schemas.has(name)) schemas.set(name, reduceSchema(name, schema));
    }
  }
  const schemaOf = new Map<string, string>();
  for (const [name, schema] of schemas) {
    const kinds = schema['x-kubernetes-group-version-kind'] ?? [];
    // DeleteOptions and WatchEvent carry one entry for each group; a kind of one's own carries exactly one.
    if (kinds.length === 1) for (const kind of kinds) schemaOf.set(gvkText(kind), name);
  }
  const resources = discovery.flatMap((document) => reduceDiscovery(document, schemaOf));
  const found = new Set(resources.map((resource) => gvText(resource)));
  const missing = groupVersions.filter((groupVersion) => !found.has(groupVersion));
  if (missing.length > 0) throw new Error(`the API server does not serve ${missing.join(', ')}`);
  return {
    kubernetes,
    resources: resources.sort((a, b) => compare(`${gvText(a)}/${a.plural}`, `${gvText(b)}/${b.plural}`)),
    schemas: Object.fromEntries([...schemas].sort(([a], [b]) => compare(a, b))),
  };
}

function reduceDiscovery(document: DiscoveryDocument, schemaOf: ReadonlyMap<string, string>): Resource[] {
  const [version = '', group = ''] = document.groupVersion.split('/').reverse();
  const gvk = (item: DiscoveredResource): GroupVersionKind =>
    item.version
      ? { group: item.group ?? '', version: item.version, kind: item.kind }
      : { group, version, kind: item.kind };
  const verbs = (item: DiscoveredResource) => [...item.verbs].sort();
  return document.resources
    .filter((item) => !item.name.includes('/'))
    .map((item) => {
      const schema = schemaOf.get(gvkText(gvk(item)));
      if (schema === undefined) throw new Error(`no schema describes ${gvkText(gvk(item))}, which discovery lists`);
      const subresources: Subresource[] = document.resources
        .filter((sub) => sub.name.startsWith(`${item.name}/`))
        .map((sub) => ({ name: sub.name.slice(item.name.length + 1), kind: gvk(sub), verbs: verbs(sub) }));
      return {
        ...gvk(item),
        plural: item.name,
        singular: item.singularName,
        namespaced: item.namespaced,
        verbs: verbs(item),
        ...(item.shortNames?.length ? { shortNames: item.shortNames } : {}),
        ...(item.categories?.length ? { categories: item.categories } : {}),
        ...(subresources.length ? { subresources } : {}),
        schema,
      };
    });
}

const kept = new Set([
  'type',
  'format',
  'default',
  'enum',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
  'x-kubernetes-patch-merge-key',
  'x-kubernetes-patch-strategy',
  'x-kubernetes-unions',
]);

function reduceSchema(where: string, input: unknown): Schema {
  if (typeof input !== 'object' || input === null) throw new Error(`${where} is no schema`);
  const schema: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(input)) {
    if (kept.has(key)) schema[key] = value;
    else if (key === '$ref') schema['$ref'] = refName(value);
    else if (key === 'allOf') {
      // OpenAPI 3.0 forbids siblings of $ref, so the server wraps a reference that has a default into allOf.
      const [only, ...more] = value as { $ref?: string }[];
      if (only?.$ref === undefined || more.length > 0) throw new Error(`${where}.allOf is no wrapped reference`);
      schema['$ref'] = refName(only.$ref);
    } else if (key === 'properties') {
      schema[key] = Object.fromEntries(
        Object.entries(value as object)
          .sort(([a], [b]) => compare(a, b))
          .map(([name, property]) => [name, reduceSchema(`${where}.${name}`, property)]),
      );
    } else if (key === 'items') schema[key] = reduceSchema(`${where}[]`, value);
    else if (key === 'additionalProperties')
      schema[key] = typeof value === 'boolean' ? value : reduceSchema(`${where}{}`, value);
    else if (key === 'oneOf') schema[key] = (value as unknown[]).map((one) => reduceSchema(`${where}|`, one));
    else if (key === 'x-kubernetes-group-version-kind')
      schema[key] = (value as GroupVersionKind[]).filter((gvk) => groupVersions.includes(gvText(gvk)));
    // A keyword we do not know may be a fact that we would lose without a word.
    else if (key !== 'description') throw new Error(`${where} has the unknown keyword ${key}`);
  }
  return schema;
}

const refName = (ref: unknown) => String(ref).replace('#/components/schemas/', '');
const gvText = ({ group, version }: { group: string; version: string }) => (group ? `${group}/${version}` : version);
const gvkText = (kind: GroupVersionKind) => `${gvText(kind)}/${kind.kind}`;
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
