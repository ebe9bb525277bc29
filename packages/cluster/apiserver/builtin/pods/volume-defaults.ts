import type { JsonObject } from '../../schema/structural.ts';
import { fill, fillText, maybeObject, objectAt, objectsAt, textAt } from '../fields.ts';
import { pullPolicyOf } from './defaults.ts';

/** Readable by everybody, writable by the owner: 0644. */
const FILE_MODE = 420;
const TOKEN_SECONDS = 3600;

export function defaultVolume(volume: JsonObject): void {
  if (!Object.entries(volume).some(([field, value]) => field !== 'name' && value !== undefined))
    volume['emptyDir'] = {};
  for (const kind of ['configMap', 'secret', 'downwardAPI', 'projected']) {
    const source = maybeObject(volume, kind);
    if (source) fill(source, { defaultMode: FILE_MODE });
  }
  defaultFieldRefs(objectsAt(maybeObject(volume, 'downwardAPI'), 'items'));
  for (const source of objectsAt(maybeObject(volume, 'projected'), 'sources')) {
    const token = maybeObject(source, 'serviceAccountToken');
    if (token) fill(token, { expirationSeconds: TOKEN_SECONDS });
    defaultFieldRefs(objectsAt(maybeObject(source, 'downwardAPI'), 'items'));
  }
  const host = maybeObject(volume, 'hostPath');
  if (host) fill(host, { type: '' });
  const image = maybeObject(volume, 'image');
  if (image) fillText(image, 'pullPolicy', pullPolicyOf(textAt(image, 'reference')));
  const claim = maybeObject(objectAt(maybeObject(volume, 'ephemeral'), 'volumeClaimTemplate'), 'spec');
  if (claim) fill(claim, { volumeMode: 'Filesystem' });
}

function defaultFieldRefs(items: readonly JsonObject[]): void {
  for (const item of items) {
    const field = maybeObject(item, 'fieldRef');
    if (field) fillText(field, 'apiVersion', 'v1');
    const resource = maybeObject(item, 'resourceFieldRef');
    if (resource) fill(resource, { divisor: '0' });
  }
}
