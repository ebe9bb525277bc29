/** NetworkPolicy and Ingress: stored for tools that ship them. */
import { isIP } from 'node:net';
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notSupported } from '../field-errors.ts';
import { ensureObject, fill, isObject, maybeObject, objectsAt, specAt, stringsAt, textAt } from '../fields.ts';
import { validateSelector } from '../selectors.ts';

export const networkPolicyStrategy: Strategy = {
  applyDefaults(policy) {
    const spec = ensureObject(policy, 'spec');
    fill(spec, { podSelector: {} });
    if (stringsAt(spec, 'policyTypes').length === 0)
      spec['policyTypes'] = objectsAt(spec, 'egress').length > 0 ? ['Ingress', 'Egress'] : ['Ingress'];
    for (const rule of [...objectsAt(spec, 'ingress'), ...objectsAt(spec, 'egress')])
      for (const port of objectsAt(rule, 'ports')) fill(port, { protocol: 'TCP' });
  },
  validateCreate: validatePolicy,
  validateUpdate: validatePolicy,
};

function validatePolicy(policy: JsonObject): FieldError[] {
  const spec = specAt(policy);
  const errors = validateSelector(maybeObject(spec, 'podSelector'), 'spec.podSelector');
  for (const [direction, side] of [
    ['ingress', 'from'],
    ['egress', 'to'],
  ] as const) {
    for (const [index, rule] of objectsAt(spec, direction).entries())
      for (const [at, peer] of objectsAt(rule, side).entries()) {
        const block = maybeObject(peer, 'ipBlock');
        if (block)
          errors.push(
            ...validateCidr(textAt(block, 'cidr'), `spec.${direction}[${index}].${side}[${at}].ipBlock.cidr`),
          );
      }
  }
  for (const [index, type] of stringsAt(spec, 'policyTypes').entries())
    if (type !== 'Ingress' && type !== 'Egress')
      errors.push(notSupported(`spec.policyTypes[${index}]`, type, ['Ingress', 'Egress']));
  return errors;
}

function validateCidr(text: string, field: string): FieldError[] {
  const [address = '', bits = ''] = text.split('/');
  const family = isIP(address);
  const isValid = family !== 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return isValid ? [] : [invalidValue(field, text, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)')];
}

export const ingressStrategy: Strategy = {
  prepareCreate(ingress) {
    ingress['status'] = { loadBalancer: {} };
  },
  validateCreate: validateIngress,
  validateUpdate: validateIngress,
};

function validateIngress(ingress: JsonObject): FieldError[] {
  const spec = specAt(ingress);
  return isObject(spec['defaultBackend']) || objectsAt(spec, 'rules').length > 0
    ? []
    : [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')];
}
