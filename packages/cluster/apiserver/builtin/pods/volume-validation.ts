import { compareQuantities } from '@sandbank/kube';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../field-errors.ts';
import { isObject, maybeObject, numberAt, objectAt, objectsAt, textAt } from '../fields.ts';
import { configKey, dnsLabel, named } from '../names.ts';

const HOST_PATH_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
];
const DOWNWARD_FIELDS = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];
const MIN_TOKEN_SECONDS = 600;

/** In this order the real server looks at sources; the second one that is set is the one too many. */
const SOURCES = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'flocker',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
  'azureFile',
  'azureDisk',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'quobyte',
  'scaleIO',
  'storageos',
  'projected',
  'csi',
  'ephemeral',
  'image',
];

export function validateVolumes(spec: JsonObject, field: string): FieldError[] {
  const seen = new Set<string>();
  return objectsAt(spec, 'volumes').flatMap((volume, index) => {
    const at = `${field}.volumes[${index}]`;
    const errors = validateSource(volume, at, spec);
    const name = textAt(volume, 'name');
    if (name === '') errors.push(required(`${at}.name`));
    else errors.push(...named(`${at}.name`, name, dnsLabel));
    if (seen.has(name)) errors.push(duplicate(`${at}.name`, name));
    seen.add(name);
    return errors;
  });
}

function validateSource(volume: JsonObject, at: string, spec: JsonObject): FieldError[] {
  const [first, ...others] = SOURCES.filter((kind) => isObject(volume[kind]));
  if (first === undefined) return [required(at, 'must specify a volume type')];
  const errors = others.map((kind) => forbiddenField(`${at}.${kind}`, 'may not specify more than 1 volume type'));
  return [...validateOne(first, objectAt(volume, first), `${at}.${first}`, spec), ...errors];
}

function validateOne(kind: string, source: JsonObject, at: string, spec: JsonObject): FieldError[] {
  switch (kind) {
    case 'emptyDir': {
      const size = textAt(source, 'sizeLimit');
      return size !== '' && compareQuantities(size, '0') < 0
        ? [forbiddenField(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
        : [];
    }
    case 'hostPath': {
      const path = textAt(source, 'path');
      if (path === '') return [required(`${at}.path`)];
      const type = textAt(source, 'type');
      return [
        ...noBacksteps(path, `${at}.path`),
        ...(HOST_PATH_TYPES.includes(type) ? [] : [notSupported(`${at}.type`, type, HOST_PATH_TYPES)]),
      ];
    }
    case 'secret':
      return [...needs(source, 'secretName', at), ...mode(source, 'defaultMode', at), ...items(source, at)];
    case 'configMap':
      return [...needs(source, 'name', at), ...mode(source, 'defaultMode', at), ...items(source, at)];
    case 'persistentVolumeClaim':
      return needs(source, 'claimName', at);
    case 'nfs':
      return [
        ...needs(source, 'server', at),
        ...needs(source, 'path', at),
        ...(textAt(source, 'path') !== '' && !textAt(source, 'path').startsWith('/')
          ? [invalidValue(`${at}.path`, textAt(source, 'path'), 'must be an absolute path')]
          : []),
      ];
    case 'csi':
      return needs(source, 'driver', at);
    case 'image':
      return needs(source, 'reference', at);
    case 'downwardAPI':
      return [...mode(source, 'defaultMode', at), ...downward(source, at)];
    case 'projected':
      return projected(source, at, spec);
    default:
      return [];
  }
}

const needs = (source: JsonObject, field: string, at: string): FieldError[] =>
  textAt(source, field) === '' ? [required(`${at}.${field}`)] : [];

function mode(source: JsonObject, field: string, at: string): FieldError[] {
  const value = numberAt(source, field);
  return value !== undefined && (value < 0 || value > 0o777)
    ? [invalidValue(`${at}.${field}`, value, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];
}

function items(source: JsonObject, at: string): FieldError[] {
  return objectsAt(source, 'items').flatMap((item, index) => {
    const place = `${at}.items[${index}]`;
    const [key, path] = [textAt(item, 'key'), textAt(item, 'path')];
    return [
      ...(key === '' ? [required(`${place}.key`)] : []),
      ...(path === '' ? [required(`${place}.path`)] : localPath(path, `${place}.path`)),
      ...mode(item, 'mode', place),
    ];
  });
}

/** The field is named without an index: so does the real server. */
function downward(source: JsonObject, at: string): FieldError[] {
  return objectsAt(source, 'items').flatMap((item) => {
    const errors: FieldError[] = [];
    const path = textAt(item, 'path');
    errors.push(...(path === '' ? [required(`${at}.path`)] : localPath(path, `${at}.path`)));
    const field = maybeObject(item, 'fieldRef');
    if (field) errors.push(...validateFieldPath(field, `${at}.fieldRef`, DOWNWARD_FIELDS));
    else if (!maybeObject(item, 'resourceFieldRef'))
      errors.push(required(`${at}.fieldRef`, 'one of fieldRef and resourceFieldRef is required'));
    return errors;
  });
}

/** Fields of the pod that may be handed to its containers; those with a key in brackets too. */
export function validateFieldPath(ref: JsonObject, at: string, supported: readonly string[]): FieldError[] {
  const path = textAt(ref, 'fieldPath');
  if (path === '') return [required(`${at}.fieldPath`)];
  const [, base, key] = /^(metadata\.(?:annotations|labels))\['(.+)'\]$/.exec(path) ?? [];
  if (base !== undefined && key !== undefined) return [];
  if (!KNOWN_FIELDS.has(path))
    return [invalidValue(`${at}.fieldPath`, path, `error converting fieldPath: field label not supported: ${path}`)];
  return supported.includes(path) ? [] : [notSupported(`${at}.fieldPath`, path, supported)];
}

const KNOWN_FIELDS = new Set([
  ...DOWNWARD_FIELDS,
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'spec.hostNetwork',
  'status.phase',
  'status.podIP',
  'status.podIPs',
  'status.hostIP',
  'status.hostIPs',
  'status.nominatedNodeName',
]);

function projected(source: JsonObject, at: string, spec: JsonObject): FieldError[] {
  const errors = mode(source, 'defaultMode', at);
  const paths = new Set<string>();
  const claim = (path: string, name: string, detail: string) => {
    if (path !== '' && paths.has(path)) errors.push(invalidValue(at, name, detail));
    paths.add(path);
  };
  for (const [index, part] of objectsAt(source, 'sources').entries()) {
    const place = `${at}.sources[${index}]`;
    for (const kind of ['secret', 'configMap']) {
      const from = maybeObject(part, kind);
      if (!from) continue;
      errors.push(...needs(from, 'name', `${place}.${kind}`), ...items(from, `${place}.${kind}`));
      for (const item of objectsAt(from, 'items'))
        claim(textAt(item, 'path'), textAt(from, 'name'), 'conflicting duplicate paths');
    }
    const down = maybeObject(part, 'downwardAPI');
    if (down) {
      errors.push(...downward(down, `${place}.downwardAPI`));
      for (const item of objectsAt(down, 'items'))
        claim(textAt(item, 'path'), textAt(item, 'path'), 'conflicting duplicate paths');
    }
    const token = maybeObject(part, 'serviceAccountToken');
    if (token) {
      const seconds = numberAt(token, 'expirationSeconds') ?? MIN_TOKEN_SECONDS;
      const expires = `${place}.serviceAccountToken.expirationSeconds`;
      if (seconds < MIN_TOKEN_SECONDS)
        errors.push(invalidValue(expires, seconds, 'may not specify a duration less than 10 minutes'));
      if (textAt(spec, 'serviceAccountName') === '')
        errors.push(
          forbiddenField(`${place}.serviceAccountToken`, 'must not be specified when serviceAccountName is not set'),
        );
      const path = textAt(token, 'path');
      if (path === '') errors.push(required(`${place}.serviceAccountToken.path`));
      claim(path, path, 'conflicting duplicate paths');
    }
  }
  return errors;
}

const noBacksteps = (path: string, at: string): FieldError[] =>
  path.split('/').includes('..') ? [invalidValue(at, path, "must not contain '..'")] : [];

/** Inside its volume: relative, and never upwards. */
export function localPath(path: string, at: string): FieldError[] {
  return [
    ...(path.startsWith('/') ? [invalidValue(at, path, 'must be a relative path')] : []),
    ...noBacksteps(path, at),
  ];
}

export const validConfigKey = (key: string, at: string): FieldError[] =>
  key === '' ? [required(at)] : named(at, key, configKey);
