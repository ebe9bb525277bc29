import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, notSupported, oneOf, required } from '../field-errors.ts';
import { maybeObject, numberAt, objectAt, objectsAt, specAt, stringsAt, textAt } from '../fields.ts';
import { dnsLabel, dnsSubdomain, ipAddress, named, qualifiedName } from '../names.ts';
import { validateLabels } from '../selectors.ts';
import { validateContainers } from './container-validation.ts';
import { validateResources } from './resource-validation.ts';
import { validateAffinity, validateGates, validateSpread, validateTolerations } from './scheduling-validation.ts';
import { validatePodSecurity } from './security-validation.ts';
import { validateVolumes } from './volume-validation.ts';

const RESTART_POLICIES = ['Always', 'OnFailure', 'Never'];
const DNS_POLICIES = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
const OPERATING_SYSTEMS = ['linux', 'windows'];
const MAX_DEADLINE = 2_147_483_647;

export function validatePod(pod: JsonObject): FieldError[] {
  const spec = specAt(pod);
  const errors = validatePodSpec(spec, 'spec');
  if (objectsAt(spec, 'ephemeralContainers').length > 0)
    errors.push(forbiddenField('spec.ephemeralContainers', 'cannot be set on create'));
  if (objectsAt(spec, 'schedulingGates').length > 0 && textAt(spec, 'nodeName') !== '')
    errors.push(forbiddenField('spec.nodeName', 'cannot be set until all schedulingGates have been cleared'));
  return errors;
}

/** Of a pod, or of a template at `field`. */
export function validatePodSpec(spec: JsonObject, field: string): FieldError[] {
  return [
    ...validateVolumes(spec, field),
    ...validateContainers(spec, field),
    ...oneOf(`${field}.restartPolicy`, textAt(spec, 'restartPolicy'), RESTART_POLICIES),
    ...oneOf(`${field}.dnsPolicy`, textAt(spec, 'dnsPolicy'), DNS_POLICIES),
    ...validateLabels(objectAt(spec, 'nodeSelector'), `${field}.nodeSelector`),
    ...validatePodSecurity(spec, field),
    ...optionalNames(objectsAt(spec, 'imagePullSecrets'), field),
    ...validateAffinity(spec, field),
    ...validateDns(spec, field),
    ...readinessGates(spec, field),
    ...validateSpread(spec, field),
    ...validateGates(spec, field),
    ...placeNames(spec, field),
    ...deadline(spec, field),
    ...validateTolerations(spec, field),
    ...hostAliases(spec, field),
    ...(maybeObject(spec, 'resources') ? validateResources(objectAt(spec, 'resources'), `${field}.resources`) : []),
    ...operatingSystem(spec, field),
  ];
}

function optionalNames(secrets: readonly JsonObject[], field: string): FieldError[] {
  return secrets.flatMap((secret, index) =>
    textAt(secret, 'name') === '' ? [required(`${field}.imagePullSecrets[${index}].name`)] : [],
  );
}

function placeNames(spec: JsonObject, field: string): FieldError[] {
  const [account, node, host, subdomain, runtime] = [
    'serviceAccountName',
    'nodeName',
    'hostname',
    'subdomain',
    'runtimeClassName',
  ].map((name) => textAt(spec, name)) as [string, string, string, string, string];
  const errors: FieldError[] = [];
  if (account !== '') errors.push(...named(`${field}.serviceAccountName`, account, dnsSubdomain));
  if (node !== '') errors.push(...named(`${field}.nodeName`, node, dnsSubdomain));
  if (host !== '')
    errors.push(
      ...(host.includes('.')
        ? [invalidValue(`${field}.hostname`, host, 'must not contain dots')]
        : named(`${field}.hostname`, host, dnsLabel)),
    );
  if (subdomain !== '') errors.push(...named(`${field}.subdomain`, subdomain, dnsLabel));
  if (runtime !== '') errors.push(...named(`${field}.runtimeClassName`, runtime, dnsSubdomain));
  return errors;
}

function deadline(spec: JsonObject, field: string): FieldError[] {
  const seconds = numberAt(spec, 'activeDeadlineSeconds');
  return seconds !== undefined && (seconds < 1 || seconds > MAX_DEADLINE)
    ? [invalidValue(`${field}.activeDeadlineSeconds`, seconds, `must be between 1 and ${MAX_DEADLINE}, inclusive`)]
    : [];
}

function validateDns(spec: JsonObject, field: string): FieldError[] {
  const config = maybeObject(spec, 'dnsConfig');
  if (textAt(spec, 'dnsPolicy') === 'None') {
    if (!config) return [required(`${field}.dnsConfig`, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (stringsAt(config, 'nameservers').length === 0)
      return [
        required(`${field}.dnsConfig.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None'),
      ];
  }
  const servers = stringsAt(config, 'nameservers');
  return [
    ...(servers.length > 3
      ? [invalidValue(`${field}.dnsConfig.nameservers`, servers, 'must not have more than 3 nameservers')]
      : []),
    ...servers.flatMap((server, index) => named(`${field}.dnsConfig.nameservers[${index}]`, server, ipAddress)),
  ];
}

function readinessGates(spec: JsonObject, field: string): FieldError[] {
  return objectsAt(spec, 'readinessGates').flatMap((gate, index) =>
    named(`${field}.readinessGates[${index}].conditionType`, textAt(gate, 'conditionType'), qualifiedName),
  );
}

function hostAliases(spec: JsonObject, field: string): FieldError[] {
  return objectsAt(spec, 'hostAliases').flatMap((alias, index) => [
    ...named(`${field}.hostAliases[${index}].ip`, textAt(alias, 'ip'), ipAddress),
    ...stringsAt(alias, 'hostnames').flatMap((name) =>
      named(`${field}.hostAliases[${index}].hostnames`, name, dnsSubdomain),
    ),
  ]);
}

function operatingSystem(spec: JsonObject, field: string): FieldError[] {
  const system = maybeObject(spec, 'os');
  if (!system) return [];
  const name = textAt(system, 'name');
  if (name === '') return [required(`${field}.os.name`, 'cannot be empty')];
  return OPERATING_SYSTEMS.includes(name) ? [] : [notSupported(`${field}.os`, name, OPERATING_SYSTEMS)];
}
