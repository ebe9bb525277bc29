import { apiVersionOf } from '@sandbank/kube';
import fc from 'fast-check';
import { type JsonSchema, schemaOf } from '../schema/crd.ts';
import type { ApiKind } from '../schema/kind.ts';

/** Objects of a kind that its schema allows, with and without their optional fields. */
export function arbitraryObject(kind: ApiKind): fc.Arbitrary<object> {
  const { spec = {}, status } = schemaOf(kind).properties ?? {};
  return fc.record(
    {
      apiVersion: fc.constant(apiVersionOf(kind)),
      kind: fc.constant(kind.kind),
      metadata: fc.constant({ name: 'any' }),
      spec: arbitrary(spec),
      ...(status && { status: arbitrary(status) }),
    },
    { requiredKeys: ['apiVersion', 'kind', 'metadata', 'spec'], noNullPrototype: true },
  );
}

function arbitrary(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema['x-kubernetes-int-or-string'])
    return schema.pattern
      ? fc.oneof(fc.nat(), fc.constantFrom('500m', '2Gi', '-1', '1e3'))
      : fc.oneof(fc.nat(), fc.string());
  if (schema.items) return arbitraryList(schema, schema.items);
  if (schema.additionalProperties)
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), arbitrary(schema.additionalProperties), {
      maxKeys: schema.maxProperties ?? 3,
      noNullPrototype: true,
    });
  if (schema.properties) return arbitraryProperties(schema, schema.properties);
  if (schema.type === 'object') return fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.jsonValue(), { maxKeys: 3 });
  if (schema['x-kubernetes-preserve-unknown-fields']) return fc.jsonValue().filter((value) => value !== null);
  return arbitraryScalar(schema);
}

function arbitraryProperties(schema: JsonSchema, properties: Record<string, JsonSchema>): fc.Arbitrary<object> {
  const arbitraries = Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, arbitrary(inner)]));
  return fc.record(arbitraries, { requiredKeys: [...(schema.required ?? [])], noNullPrototype: true });
}

function arbitraryList(schema: JsonSchema, items: JsonSchema): fc.Arbitrary<unknown[]> {
  const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.max(schema.minItems ?? 0, 2) };
  const keys = schema['x-kubernetes-list-map-keys'];
  if (keys) {
    const selector = (entry: unknown) => JSON.stringify(keys.map((key) => (entry as Record<string, unknown>)[key]));
    return fc.uniqueArray(arbitrary(items), { ...bounds, selector });
  }
  return schema['x-kubernetes-list-type'] === 'set'
    ? fc.uniqueArray(arbitrary(items), bounds)
    : fc.array(arbitrary(items), bounds);
}

function arbitraryScalar(schema: JsonSchema): fc.Arbitrary<unknown> {
  if (schema.type === 'boolean') return fc.boolean();
  if (schema.type === 'integer')
    return fc.integer({ min: schema.minimum ?? -(2 ** 31), max: schema.maximum ?? 2 ** 31 - 1 });
  if (schema.format === 'date-time')
    return fc
      .date({ min: new Date('1970-01-01'), max: new Date('2999-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  const { minLength = 0, maxLength = 20 } = schema;
  if (schema.pattern) {
    const fits = ({ length }: string) => length >= minLength && length <= maxLength;
    return fc.stringMatching(new RegExp(schema.pattern), { maxLength: Math.min(maxLength, 30) }).filter(fits);
  }
  return fc.string({ minLength, maxLength: Math.min(maxLength, 20) });
}
