/**
 * The reduced OpenAPI snapshot: the facts about the built-in kinds that we take from a real API server, and no prose.
 * Kinds (`packages/kube/kinds/generated`) are made from it, and so are the schemas of the embedded API server.
 * One resource and one schema stand on a line, so that a renewal reads well as a diff.
 */
export interface Snapshot {
  /** The version that the API server gave for itself. */
  readonly kubernetes: string;
  readonly resources: readonly Resource[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface Subresource {
  readonly name: string;
  /** What goes in or comes out. For `log`, `exec` and the like, which are no objects, it is the parent or an options kind. */
  readonly kind: GroupVersionKind;
  readonly verbs: readonly string[];
}

export interface Resource extends GroupVersionKind {
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
  /** Its name in `schemas`. */
  readonly schema: string;
}

/** An OpenAPI v3 schema without descriptions. A `$ref` names a schema of the snapshot. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly oneOf?: readonly Schema[];
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: string;
  readonly 'x-kubernetes-patch-merge-key'?: string;
  readonly 'x-kubernetes-patch-strategy'?: string;
  readonly 'x-kubernetes-unions'?: unknown;
}

const lines = (entries: readonly string[]) => entries.join(',\n');

export function writeSnapshot(snapshot: Snapshot): string {
  const resources = snapshot.resources.map((resource) => JSON.stringify(resource));
  const schemas = Object.entries(snapshot.schemas).map(
    ([name, schema]) => `${JSON.stringify(name)}:${JSON.stringify(schema)}`,
  );
  return `{"kubernetes":${JSON.stringify(snapshot.kubernetes)},
"resources":[
${lines(resources)}
],
"schemas":{
${lines(schemas)}
}}
`;
}

export function readSnapshot(text: string): Snapshot {
  return JSON.parse(text) as Snapshot;
}
