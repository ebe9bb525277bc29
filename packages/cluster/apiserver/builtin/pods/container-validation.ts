import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { duplicate, forbiddenField, invalidValue, missing, notSupported, oneOf, required } from '../field-errors.ts';
import { isObject, maybeObject, numberAt, objectAt, objectsAt, textAt } from '../fields.ts';
import { dnsLabel, envName, named, portName, portNumber } from '../names.ts';
import { validateHandler, validateProbe } from './probe-validation.ts';
import { validateResources } from './resource-validation.ts';
import { validateContainerSecurity } from './security-validation.ts';
import { localPath, validateFieldPath, validConfigKey } from './volume-validation.ts';

const PULL_POLICIES = ['Always', 'IfNotPresent', 'Never'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const TERMINATION_POLICIES = ['File', 'FallbackToLogsOnError'];
const ENV_SOURCES = ['fieldRef', 'resourceFieldRef', 'configMapKeyRef', 'secretKeyRef', 'fileKeyRef'];
const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

export function validateContainers(spec: JsonObject, field: string): FieldError[] {
  const volumes = new Set(objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name')));
  const containers = objectsAt(spec, 'containers');
  const errors: FieldError[] = [];
  if (containers.length === 0) errors.push(required(`${field}.containers`));
  const names = new Set<string>();
  const taken = (name: string, at: string) => {
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    else names.add(name);
  };
  for (const [index, container] of containers.entries()) {
    const at = `${field}.containers[${index}]`;
    errors.push(...validateContainer(container, at, volumes, spec));
    taken(textAt(container, 'name'), at);
    errors.push(...validateLifecycle(container, at));
    errors.push(...validateProbe(maybeObject(container, 'livenessProbe'), `${at}.livenessProbe`, true));
    errors.push(...validateProbe(maybeObject(container, 'readinessProbe'), `${at}.readinessProbe`, false));
    errors.push(...validateProbe(maybeObject(container, 'startupProbe'), `${at}.startupProbe`, true));
  }
  errors.push(...hostPortConflicts(containers, `${field}.containers`));
  for (const [index, container] of objectsAt(spec, 'initContainers').entries()) {
    const at = `${field}.initContainers[${index}]`;
    errors.push(...validateContainer(container, at, volumes, spec));
    taken(textAt(container, 'name'), at);
    errors.push(...validateInit(container, at));
  }
  return errors;
}

function validateInit(container: JsonObject, at: string): FieldError[] {
  const isSidecar = container['restartPolicy'] === 'Always';
  const errors: FieldError[] = [];
  for (const [name, once] of [
    ['lifecycle', false],
    ['livenessProbe', true],
    ['readinessProbe', false],
    ['startupProbe', true],
  ] as const) {
    const value = maybeObject(container, name);
    if (!value) continue;
    if (!isSidecar)
      errors.push(forbiddenField(`${at}.${name}`, 'may not be set for init containers without restartPolicy=Always'));
    else if (name === 'lifecycle') errors.push(...validateLifecycle(container, at));
    else errors.push(...validateProbe(value, `${at}.${name}`, once));
  }
  return errors;
}

function validateContainer(
  container: JsonObject,
  at: string,
  volumes: ReadonlySet<string>,
  spec: JsonObject,
): FieldError[] {
  const errors: FieldError[] = [];
  const name = textAt(container, 'name');
  if (name === '') errors.push(required(`${at}.name`));
  else errors.push(...named(`${at}.name`, name, dnsLabel));
  const image = textAt(container, 'image');
  if (image.length !== image.trim().length)
    errors.push(invalidValue(`${at}.image`, image, 'must not have leading or trailing whitespace'));
  else if (image === '') errors.push(required(`${at}.image`));
  errors.push(
    ...oneOf(`${at}.terminationMessagePolicy`, textAt(container, 'terminationMessagePolicy'), TERMINATION_POLICIES),
  );
  errors.push(...validatePorts(container, at, spec['hostNetwork'] === true));
  errors.push(...validateEnv(container, at));
  errors.push(...validateMounts(container, at, volumes));
  errors.push(...oneOf(`${at}.imagePullPolicy`, textAt(container, 'imagePullPolicy'), PULL_POLICIES));
  errors.push(...validateResources(objectAt(container, 'resources'), `${at}.resources`));
  errors.push(...validateContainerSecurity(container, at));
  return errors;
}

function validatePorts(container: JsonObject, at: string, hostNetwork: boolean): FieldError[] {
  const names = new Set<string>();
  return objectsAt(container, 'ports').flatMap((port, index) => {
    const place = `${at}.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = textAt(port, 'name');
    if (name !== '') {
      const wrong = named(`${place}.name`, name, portName);
      if (wrong.length > 0) errors.push(...wrong);
      else if (names.has(name)) errors.push(duplicate(`${place}.name`, name));
      names.add(name);
    }
    const number = numberAt(port, 'containerPort') ?? 0;
    if (number === 0) errors.push(required(`${place}.containerPort`));
    else errors.push(...portNumber(number).map((why) => invalidValue(`${place}.containerPort`, number, why)));
    const host = numberAt(port, 'hostPort') ?? 0;
    if (host !== 0) errors.push(...portNumber(host).map((why) => invalidValue(`${place}.hostPort`, host, why)));
    const protocol = textAt(port, 'protocol');
    if (protocol === '') errors.push(required(`${place}.protocol`));
    else if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${place}.protocol`, protocol, PROTOCOLS));
    if (hostNetwork && host !== number)
      errors.push(invalidValue(`${place}.hostPort`, host, 'must match `containerPort` when `hostNetwork` is true'));
    return errors;
  });
}

function hostPortConflicts(containers: readonly JsonObject[], field: string): FieldError[] {
  const taken = new Set<string>();
  const errors: FieldError[] = [];
  for (const [index, container] of containers.entries()) {
    for (const [at, port] of objectsAt(container, 'ports').entries()) {
      const host = numberAt(port, 'hostPort') ?? 0;
      if (host === 0) continue;
      const key = `${textAt(port, 'protocol')}/${textAt(port, 'hostIP')}/${host}`;
      if (taken.has(key)) errors.push(duplicate(`${field}[${index}].ports[${at}].hostPort`, key));
      taken.add(key);
    }
  }
  return errors;
}

function validateEnv(container: JsonObject, at: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, variable] of objectsAt(container, 'env').entries()) {
    const place = `${at}.env[${index}]`;
    const name = textAt(variable, 'name');
    if (name === '') errors.push(required(`${place}.name`));
    else errors.push(...named(`${place}.name`, name, envName));
    const from = maybeObject(variable, 'valueFrom');
    if (from) errors.push(...validateEnvSource(from, `${place}.valueFrom`, textAt(variable, 'value')));
  }
  for (const source of objectsAt(container, 'envFrom')) {
    const kinds = ['configMapRef', 'secretRef'].filter((kind) => isObject(source[kind]));
    const field = `${at}.envFrom`;
    if (textAt(source, 'prefix') !== '') errors.push(...named(`${field}.prefix`, textAt(source, 'prefix'), envName));
    if (kinds.length === 0) errors.push(invalidValue(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (kinds.length > 1)
      errors.push(invalidValue(field, '', 'may not have more than one field specified at a time'));
    for (const kind of kinds)
      if (textAt(objectAt(source, kind), 'name') === '') errors.push(required(`${field}.${kind}.name`));
  }
  return errors;
}

function validateEnvSource(from: JsonObject, at: string, value: string): FieldError[] {
  const errors: FieldError[] = [];
  const kinds = ENV_SOURCES.filter((kind) => isObject(from[kind]));
  for (const kind of kinds) {
    const source = objectAt(from, kind);
    if (kind === 'fieldRef') errors.push(...validateFieldPath(source, `${at}.fieldRef`, ENV_FIELDS));
    if (kind === 'configMapKeyRef' || kind === 'secretKeyRef') {
      if (textAt(source, 'name') === '') errors.push(required(`${at}.${kind}.name`));
      errors.push(...validConfigKey(textAt(source, 'key'), `${at}.${kind}.key`));
    }
  }
  if (kinds.length === 0)
    errors.push(
      invalidValue(
        at,
        '',
        'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`',
      ),
    );
  else if (value !== '') errors.push(invalidValue(at, '', 'may not be specified when `value` is not empty'));
  else if (kinds.length > 1) errors.push(invalidValue(at, '', 'may not have more than one field specified at a time'));
  return errors;
}

function validateMounts(container: JsonObject, at: string, volumes: ReadonlySet<string>): FieldError[] {
  const paths = new Set<string>();
  return objectsAt(container, 'volumeMounts').flatMap((mount, index) => {
    const place = `${at}.volumeMounts[${index}]`;
    const errors: FieldError[] = [];
    const [name, path] = [textAt(mount, 'name'), textAt(mount, 'mountPath')];
    if (name === '') errors.push(required(`${place}.name`));
    if (!volumes.has(name)) errors.push(missing(`${place}.name`, name));
    if (path === '') errors.push(required(`${place}.mountPath`));
    if (paths.has(path)) errors.push(invalidValue(`${place}.mountPath`, path, 'must be unique'));
    paths.add(path);
    const [sub, expression] = [textAt(mount, 'subPath'), textAt(mount, 'subPathExpr')];
    // These two are named without an index: so does the real server.
    if (sub !== '') errors.push(...localPath(sub, `${at}.volumeMounts.subPath`));
    if (expression !== '') {
      if (sub !== '')
        errors.push(invalidValue(`${place}.subPathExpr`, expression, 'subPathExpr and subPath are mutually exclusive'));
      errors.push(...localPath(expression, `${at}.volumeMounts.subPathExpr`));
    }
    return errors;
  });
}

function validateLifecycle(container: JsonObject, at: string): FieldError[] {
  const lifecycle = objectAt(container, 'lifecycle');
  return ['postStart', 'preStop'].flatMap((name) => {
    const hook = maybeObject(lifecycle, name);
    return hook ? validateHandler(hook, `${at}.lifecycle.${name}`, ['exec', 'httpGet', 'tcpSocket', 'sleep']) : [];
  });
}
