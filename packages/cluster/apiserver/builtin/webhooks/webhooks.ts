/** Configurations of admission webhooks. */
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { duplicate, invalidValue, notSupported, oneOf, required } from '../field-errors.ts';
import {
  ensureObject,
  fill,
  fillText,
  maybeObject,
  numberAt,
  objectAt,
  objectsAt,
  stringsAt,
  textAt,
} from '../fields.ts';
import { dnsSubdomain, named } from '../names.ts';
import { validateSelector } from '../selectors.ts';

const DEFAULTS: JsonObject = {
  failurePolicy: 'Fail',
  matchPolicy: 'Equivalent',
  namespaceSelector: {},
  objectSelector: {},
  timeoutSeconds: 10,
};

export const validatingStrategy = configurations({});
export const mutatingStrategy = configurations({ reinvocationPolicy: 'Never' });

function configurations(more: JsonObject): Strategy {
  return {
    applyDefaults(configuration) {
      for (const webhook of objectsAt(configuration, 'webhooks')) {
        fill(webhook, { ...DEFAULTS, ...more });
        const service = maybeObject(objectAt(webhook, 'clientConfig'), 'service');
        if (service) fill(service, { port: 443 });
        for (const rule of objectsAt(webhook, 'rules')) fillText(rule, 'scope', '*');
        ensureObject(webhook, 'clientConfig');
      }
    },
    validateCreate: validate,
    validateUpdate: validate,
  };
}

function validate(configuration: JsonObject): FieldError[] {
  const names = new Set<string>();
  return objectsAt(configuration, 'webhooks').flatMap((webhook, index) => {
    const at = `webhooks[${index}]`;
    const name = textAt(webhook, 'name');
    const errors = [...validateName(name, `${at}.name`), ...validateWebhook(webhook, at)];
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    return errors;
  });
}

function validateName(name: string, field: string): FieldError[] {
  const errors = named(field, name, dnsSubdomain);
  return name.split('.').length < 3
    ? [...errors, invalidValue(field, name, 'should be a domain with at least three segments separated by dots')]
    : errors;
}

function validateWebhook(webhook: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, rule] of objectsAt(webhook, 'rules').entries())
    for (const field of ['operations', 'apiGroups', 'apiVersions', 'resources'])
      if (stringsAt(rule, field).length === 0) errors.push(required(`${at}.rules[${index}].${field}`));
  errors.push(...oneOf(`${at}.failurePolicy`, textAt(webhook, 'failurePolicy'), ['Fail', 'Ignore']));
  errors.push(...oneOf(`${at}.matchPolicy`, textAt(webhook, 'matchPolicy'), ['Equivalent', 'Exact']));
  const effects = textAt(webhook, 'sideEffects');
  if (effects === '') errors.push(required(`${at}.sideEffects`, 'must specify one of None, NoneOnDryRun'));
  else if (!['None', 'NoneOnDryRun'].includes(effects))
    errors.push(notSupported(`${at}.sideEffects`, effects, ['None', 'NoneOnDryRun']));
  const versions = stringsAt(webhook, 'admissionReviewVersions');
  if (versions.length === 0) errors.push(required(`${at}.admissionReviewVersions`, 'must specify one of v1, v1beta1'));
  else if (!versions.some((version) => version === 'v1' || version === 'v1beta1'))
    errors.push(invalidValue(`${at}.admissionReviewVersions`, versions, 'must include at least one of v1, v1beta1'));
  const seconds = numberAt(webhook, 'timeoutSeconds');
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    errors.push(invalidValue(`${at}.timeoutSeconds`, seconds, 'the timeout value must be between 1 and 30 seconds'));
  for (const field of ['namespaceSelector', 'objectSelector'])
    errors.push(...validateSelector(maybeObject(webhook, field), `${at}.${field}`));
  return [...errors, ...validateClient(objectAt(webhook, 'clientConfig'), `${at}.clientConfig`)];
}

function validateClient(client: JsonObject, at: string): FieldError[] {
  const [url, service] = [textAt(client, 'url'), maybeObject(client, 'service')];
  if ((url === '') === (service === undefined)) return [required(at, 'exactly one of url or service is required')];
  if (service)
    return ['name', 'namespace'].flatMap((field) =>
      textAt(service, field) === '' ? [required(`${at}.service.${field}`, `service ${field} is required`)] : [],
    );
  const form = '; desired format: https://host[/path]';
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (!parsed) return [invalidValue(`${at}.url`, url, `url must be a valid URL${form}`)];
  if (parsed.protocol !== 'https:')
    return [invalidValue(`${at}.url`, parsed.protocol.slice(0, -1), `'https' is the only allowed URL scheme${form}`)];
  return [];
}
