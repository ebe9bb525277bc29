/** Objects inside objects (`x-kubernetes-embedded-resource`) say what they are, like any other object. */
import { isObject, schemaOfField } from './correlation.ts';
import { invalid, required } from './field-errors.ts';
import { childPath } from './list-types.ts';
import type { FieldError, Json, JsonObject, Structural } from './structural.ts';

export function validateEmbeddedResources(value: Json, schema: Structural, path = ''): FieldError[] {
  if (Array.isArray(value)) {
    const below = schema.items;
    return below ? value.flatMap((item, index) => validateEmbeddedResources(item, below, `${path}[${index}]`)) : [];
  }
  if (!isObject(value)) return [];
  return [
    ...(schema['x-kubernetes-embedded-resource'] === true && path !== '' ? typeErrors(value, path) : []),
    ...Object.entries(value).flatMap(([name, child]) => {
      const below = schemaOfField(schema, name);
      return below ? validateEmbeddedResources(child, below, childPath(path, name, schema)) : [];
    }),
  ];
}

const LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL_MESSAGE =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

function typeErrors(resource: JsonObject, path: string): FieldError[] {
  const { apiVersion, kind } = resource;
  const errors: FieldError[] = [];
  const report = (name: string, value: Json, why: string) => errors.push(invalid(`${path}.${name}`, value, why));
  if (apiVersion === undefined) errors.push(required(`${path}.apiVersion`));
  else if (typeof apiVersion !== 'string') report('apiVersion', apiVersion, 'must be a string');
  else if (apiVersion === '') report('apiVersion', apiVersion, 'must not be empty');
  else if (apiVersion.split('/').length > 2)
    report('apiVersion', apiVersion, `unexpected GroupVersion string: ${apiVersion}`);
  if (kind === undefined) errors.push(required(`${path}.kind`));
  else if (typeof kind !== 'string') report('kind', kind, 'must be a string');
  else if (kind === '') report('kind', kind, 'must not be empty');
  else if (kind.length > 63)
    report('kind', kind, 'may have mixed case, but should otherwise match: must be no more than 63 characters');
  else if (!LABEL.test(kind.toLowerCase()))
    report('kind', kind, `may have mixed case, but should otherwise match: ${LABEL_MESSAGE}`);
  return errors;
}
