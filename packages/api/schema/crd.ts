import type { ApiKind } from './kind.ts';

/** A JSON schema as plain data. */
export interface JsonSchema {
  type?: string;
  description?: string;
  format?: string;
  default?: unknown;
  enum?: readonly string[];
  properties?: Record<string, JsonSchema>;
  required?: readonly string[];
  additionalProperties?: JsonSchema;
  items?: JsonSchema;
  anyOf?: readonly JsonSchema[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  maxProperties?: number;
  pattern?: string;
  examples?: readonly unknown[];
  /** Ours: of the properties of this object exactly one is set. */
  exclusive?: boolean;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: readonly string[];
  'x-kubernetes-map-type'?: 'granular' | 'atomic';
  'x-kubernetes-validations'?: readonly { rule: string; message: string; fieldPath?: string }[];
}

/**
 * The schema of a whole object, as our code walks it. A field with a default is left out of `required`:
 * the API server fills it in before it looks, and clients that check for themselves must not ask for it.
 */
export function schemaOf(kind: ApiKind): JsonSchema {
  const known = schemas.get(kind);
  if (known) return known;
  const schema = wholeSchema(kind);
  schemas.set(kind, schema);
  return schema;
}

const schemas = new WeakMap<ApiKind, JsonSchema>();

function wholeSchema(kind: ApiKind): JsonSchema {
  const properties: Record<string, JsonSchema> = {
    apiVersion: { type: 'string' },
    kind: { type: 'string' },
    metadata: { type: 'object' },
    spec: plain(kind.spec as JsonSchema),
  };
  if (kind.status) {
    properties['status'] = {
      ...plain(kind.status as JsonSchema),
      ...(kind.statusDefault && { default: kind.statusDefault }),
    };
  }
  return { type: 'object', description: kind.description, required: ['spec'], properties };
}

function plain(schema: JsonSchema): JsonSchema {
  const { properties, required = [], additionalProperties, items, anyOf, ...rest } = schema;
  const needed = required.filter((name) => properties?.[name]?.default === undefined);
  return {
    ...rest,
    ...(anyOf && { anyOf }),
    ...(needed.length > 0 && { required: needed }),
    ...(properties && { properties: mapValues(properties, plain) }),
    ...(additionalProperties && { additionalProperties: plain(additionalProperties) }),
    ...(items && { items: plain(items) }),
  };
}

/** What the API server may see: the same without the notes that are ours. */
function published(schema: JsonSchema): JsonSchema {
  const { examples: _examples, exclusive: _exclusive, properties, additionalProperties, items, ...rest } = schema;
  return {
    ...rest,
    ...(properties && { properties: mapValues(properties, published) }),
    ...(additionalProperties && { additionalProperties: published(additionalProperties) }),
    ...(items && { items: published(items) }),
  };
}

function mapValues<V, W>(record: Record<string, V>, change: (value: V) => W): Record<string, W> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}

export function crdName(kind: Pick<ApiKind, 'group' | 'plural'>): string {
  return `${kind.plural}.${kind.group}`;
}

/** The CustomResourceDefinition of a kind. */
export function crdOf(kind: ApiKind) {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: crdName(kind) },
    spec: {
      group: kind.group,
      names: {
        kind: kind.kind,
        listKind: kind.listKind,
        plural: kind.plural,
        singular: kind.singular,
        ...(kind.shortNames.length > 0 && { shortNames: kind.shortNames }),
        ...(kind.categories.length > 0 && { categories: kind.categories }),
      },
      scope: kind.namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: kind.version,
          served: true,
          storage: true,
          ...(kind.columns.length > 0 && { additionalPrinterColumns: kind.columns.map(publishedColumn) }),
          ...subresources(kind),
          schema: { openAPIV3Schema: published(schemaOf(kind)) },
        },
      ],
    },
  };
}

function publishedColumn({ priority, ...column }: ApiKind['columns'][number]) {
  return priority === 0 ? column : { ...column, priority };
}

function subresources(kind: ApiKind) {
  if (!kind.statusSubresource && !kind.scale) return {};
  return { subresources: { ...(kind.statusSubresource && { status: {} }), ...(kind.scale && { scale: kind.scale }) } };
}
