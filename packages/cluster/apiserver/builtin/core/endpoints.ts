/** Endpoints and EndpointSlice: where the pods of a service are. */
import { isIP } from 'node:net';
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, oneOf, required, unchanged } from '../field-errors.ts';
import { fill, fillText, objectsAt, stringsAt, textAt } from '../fields.ts';
import { dnsSubdomain, ipAddress, named } from '../names.ts';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];

export const endpointsStrategy: Strategy = {
  applyDefaults(endpoints) {
    for (const port of objectsAt(endpoints, 'subsets').flatMap((subset) => objectsAt(subset, 'ports')))
      fillText(port, 'protocol', 'TCP');
  },
  validateCreate: validateEndpoints,
  validateUpdate: validateEndpoints,
  warnings: () => ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
};

function validateEndpoints(endpoints: JsonObject): FieldError[] {
  return objectsAt(endpoints, 'subsets').flatMap((subset, index) =>
    ['addresses', 'notReadyAddresses'].flatMap((kind) =>
      objectsAt(subset, kind).flatMap((address, at) => {
        const field = `subsets[${index}].${kind}[${at}].ip`;
        const ip = textAt(address, 'ip');
        return isIP(ip) === 0
          ? [...named(field, ip, ipAddress), invalidValue(field, ip, 'must be a valid IP address')]
          : [];
      }),
    ),
  );
}

export const endpointSliceStrategy: Strategy = {
  applyDefaults(slice) {
    for (const port of objectsAt(slice, 'ports')) fill(port, { name: '', protocol: 'TCP' });
  },
  validateCreate: validateSlice,
  validateUpdate: (slice, old) => [
    ...validateSlice(slice),
    ...unchanged('addressType', slice['addressType'], old['addressType']),
  ],
};

function validateSlice(slice: JsonObject): FieldError[] {
  const type = textAt(slice, 'addressType');
  const errors = type === '' ? [required('addressType')] : oneOf('addressType', type, ADDRESS_TYPES);
  for (const [index, endpoint] of objectsAt(slice, 'endpoints').entries()) {
    const addresses = stringsAt(endpoint, 'addresses');
    if (addresses.length === 0)
      errors.push(required(`endpoints[${index}].addresses`, 'must contain at least 1 address'));
    for (const [at, address] of addresses.entries())
      errors.push(
        ...named(`endpoints[${index}].addresses[${at}]`, address, type === 'FQDN' ? dnsSubdomain : ipAddress),
      );
  }
  return errors;
}
