/** From the schema in a CRD to the schema that requests are held to: metadata is that of every kind. */
import { builtinSchema } from '../builtin/schemas.ts';
import { CUSTOM, type Structural } from '../schema/structural.ts';

const text: Structural = { type: 'string' };
const objectMeta = () => builtinSchema('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

/** Without a schema, everything is kept and nothing is checked. */
export function customSchema(openApi: Structural | undefined): Structural {
  const root = openApi ? withEmbeddedMetadata(openApi) : { 'x-kubernetes-preserve-unknown-fields': true };
  return { ...root, type: 'object', properties: resourceProperties(root), [CUSTOM]: true };
}

/** A CRD may narrow the names of its objects, and nothing else in metadata. */
function resourceProperties({ properties = {} }: Structural): Record<string, Structural> {
  const meta = objectMeta();
  const { name, generateName } = properties['metadata']?.properties ?? {};
  const narrowed =
    name || generateName
      ? { ...meta, properties: { ...meta.properties, ...(name && { name }), ...(generateName && { generateName }) } }
      : meta;
  const validations = properties['metadata']?.['x-kubernetes-validations'];
  return {
    apiVersion: text,
    kind: text,
    ...properties,
    metadata: validations ? { ...narrowed, 'x-kubernetes-validations': validations } : narrowed,
  };
}

function withEmbeddedMetadata(schema: Structural): Structural {
  const { properties, items, additionalProperties } = schema;
  const deep: Structural = {
    ...schema,
    ...(properties && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, withEmbeddedMetadata(property)]),
      ),
    }),
    ...(items && { items: withEmbeddedMetadata(items) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withEmbeddedMetadata(additionalProperties),
    }),
  };
  if (schema['x-kubernetes-embedded-resource'] !== true) return deep;
  return { ...deep, properties: resourceProperties(deep) };
}
