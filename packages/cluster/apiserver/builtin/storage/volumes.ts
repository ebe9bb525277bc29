/** PersistentVolume, PersistentVolumeClaim, StorageClass. */
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { timestamp } from '../../verbs/stored-object.ts';
import { forbiddenField, notSupported, oneOf, required, sameJson, unchanged } from '../field-errors.ts';
import {
  ensureObject,
  fill,
  fillText,
  isObject,
  maybeObject,
  metadataAt,
  objectAt,
  specAt,
  statusAt,
  stringsAt,
  textAt,
} from '../fields.ts';

const ACCESS_MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const NOT_SOURCES = new Set([
  'capacity',
  'accessModes',
  'claimRef',
  'nodeAffinity',
  'mountOptions',
  'persistentVolumeReclaimPolicy',
  'storageClassName',
  'volumeMode',
  'volumeAttributesClassName',
]);

export const volumeStrategy: Strategy = {
  applyDefaults(volume) {
    const spec = ensureObject(volume, 'spec');
    fillText(spec, 'persistentVolumeReclaimPolicy', 'Retain');
    fill(spec, { volumeMode: 'Filesystem' });
    const host = maybeObject(spec, 'hostPath');
    if (host) fill(host, { type: '' });
    fillText(ensureObject(volume, 'status'), 'phase', 'Pending');
  },
  prepareCreate(volume, { now }) {
    volume['status'] = { phase: 'Pending', lastPhaseTransitionTime: timestamp(now) };
    protect(volume, 'kubernetes.io/pv-protection');
  },
  validateCreate: validateVolume,
  validateUpdate: validateVolume,
};

function validateVolume(volume: JsonObject): FieldError[] {
  const spec = specAt(volume);
  const errors = accessModes(spec);
  const capacity = maybeObject(spec, 'capacity');
  if (!capacity) errors.push(required('spec.capacity'));
  if (capacity?.['storage'] === undefined || Object.keys(capacity).length > 1)
    errors.push(notSupported('spec.capacity', capacity ?? null, ['storage']));
  if (!Object.entries(spec).some(([field, value]) => !NOT_SOURCES.has(field) && isObject(value)))
    errors.push(required('spec', 'must specify a volume type'));
  return errors;
}

export const claimStrategy: Strategy = {
  applyDefaults(claim) {
    fill(ensureObject(claim, 'spec'), { volumeMode: 'Filesystem' });
    fillText(ensureObject(claim, 'status'), 'phase', 'Pending');
  },
  prepareCreate(claim) {
    claim['status'] = { phase: 'Pending' };
    protect(claim, 'kubernetes.io/pvc-protection');
  },
  validateCreate: validateClaim,
  validateUpdate(claim, old) {
    const [spec, before] = [specAt(claim), specAt(old)];
    const isBound = statusAt(old)['phase'] === 'Bound';
    const fixed = ({ resources: _, volumeAttributesClassName: _class, volumeName: _name, ...rest }: JsonObject) => rest;
    const wasUnbound = textAt(before, 'volumeName') === '';
    const sameName = wasUnbound || sameJson(spec['volumeName'], before['volumeName']);
    const sameSize = isBound || sameJson(spec['resources'], before['resources']);
    return sameJson(fixed(spec), fixed(before)) && sameName && sameSize
      ? validateClaim(claim)
      : [
          ...validateClaim(claim),
          forbiddenField(
            'spec',
            'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims',
          ),
        ];
  },
};

function validateClaim(claim: JsonObject): FieldError[] {
  const spec = specAt(claim);
  const errors = accessModes(spec);
  if (objectAt(objectAt(spec, 'resources'), 'requests')['storage'] === undefined)
    errors.push(required('spec.resources[storage]'));
  return errors;
}

function accessModes(spec: JsonObject): FieldError[] {
  const modes = stringsAt(spec, 'accessModes');
  if (modes.length === 0) return [required('spec.accessModes', 'at least 1 access mode is required')];
  const errors = modes
    .filter((mode) => !ACCESS_MODES.includes(mode))
    .map((mode) => notSupported('spec.accessModes', mode, ACCESS_MODES));
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    errors.push(forbiddenField('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  return errors;
}

/** In use is not deletable: whoever watches volumes takes this off. */
function protect(object: JsonObject, finalizer: string): void {
  const metadata = metadataAt(object);
  const finalizers = stringsAt(metadata, 'finalizers');
  if (!finalizers.includes(finalizer)) object['metadata'] = { ...metadata, finalizers: [...finalizers, finalizer] };
}

export const storageClassStrategy: Strategy = {
  applyDefaults: (storage) => fill(storage, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' }),
  validateCreate: validateStorageClass,
  validateUpdate(storage, old) {
    const errors = validateStorageClass(storage);
    for (const field of ['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'])
      errors.push(...unchanged(field, storage[field], old[field]));
    return errors;
  },
};

function validateStorageClass(storage: JsonObject): FieldError[] {
  return [
    ...(textAt(storage, 'provisioner') === '' ? [required('provisioner')] : []),
    ...oneOf('reclaimPolicy', textAt(storage, 'reclaimPolicy'), ['Delete', 'Retain']),
    ...oneOf('volumeBindingMode', textAt(storage, 'volumeBindingMode'), ['Immediate', 'WaitForFirstConsumer']),
  ];
}
