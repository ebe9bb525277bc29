import type { FieldError, Json, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notSupported, required } from '../field-errors.ts';
import { maybeObject, numberAt, textAt } from '../fields.ts';

const MAX_ID = 2_147_483_647;
const SECCOMP_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];

export function validatePodSecurity(spec: JsonObject, field: string): FieldError[] {
  const security = maybeObject(spec, 'securityContext');
  if (!security) return [];
  const at = `${field}.securityContext`;
  return [
    ...ids(security, at, ['fsGroup', 'runAsUser', 'runAsGroup']),
    ...(Array.isArray(security['supplementalGroups']) ? security['supplementalGroups'] : []).flatMap((group, index) =>
      typeof group === 'number' && !isId(group)
        ? [invalidValue(`${at}.supplementalGroups[${index}]`, group, ID_RANGE)]
        : [],
    ),
    ...seccomp(security, at),
  ];
}

export function validateContainerSecurity(container: JsonObject, field: string): FieldError[] {
  const security = maybeObject(container, 'securityContext');
  if (!security) return [];
  const at = `${field}.securityContext`;
  const errors = [...ids(security, at, ['runAsUser', 'runAsGroup']), ...seccomp(security, at)];
  if (security['allowPrivilegeEscalation'] === false && security['privileged'] === true)
    errors.push(
      invalidValue(
        at,
        internalForm(security),
        'cannot set `allowPrivilegeEscalation` to false and `privileged` to true',
      ),
    );
  return errors;
}

const ID_RANGE = `must be between 0 and ${MAX_ID}, inclusive`;
const isId = (value: number) => value >= 0 && value <= MAX_ID;

function ids(security: JsonObject, at: string, fields: readonly string[]): FieldError[] {
  return fields.flatMap((field) => {
    const value = numberAt(security, field);
    return value === undefined || isId(value) ? [] : [invalidValue(`${at}.${field}`, value, ID_RANGE)];
  });
}

function seccomp(security: JsonObject, at: string): FieldError[] {
  const profile = maybeObject(security, 'seccompProfile');
  if (!profile) return [];
  const type = textAt(profile, 'type');
  const place = `${at}.seccompProfile`;
  if (type === '') return [required(`${place}.type`, 'type is required when seccompProfile is set')];
  if (!SECCOMP_TYPES.includes(type)) return [notSupported(`${place}.type`, type, SECCOMP_TYPES)];
  if (type === 'Localhost' && profile['localhostProfile'] === undefined)
    return [required(`${place}.localhostProfile`, 'must be set when seccomp type is Localhost')];
  if (type !== 'Localhost' && profile['localhostProfile'] !== undefined)
    return [
      invalidValue(
        `${place}.localhostProfile`,
        profile['localhostProfile'],
        'can only be set when seccomp type is Localhost',
      ),
    ];
  return [];
}

/** The real server prints the whole context, by its internal field names. */
function internalForm(security: JsonObject): Json {
  const names = [
    'capabilities',
    'privileged',
    'seLinuxOptions',
    'windowsOptions',
    'runAsUser',
    'runAsGroup',
    'runAsNonRoot',
    'readOnlyRootFilesystem',
    'allowPrivilegeEscalation',
    'procMount',
    'seccompProfile',
    'appArmorProfile',
  ];
  const internal = (name: string) =>
    name === 'seLinuxOptions' ? 'SELinuxOptions' : name.charAt(0).toUpperCase() + name.slice(1);
  return Object.fromEntries(names.map((name) => [internal(name), security[name] ?? null]));
}
