import type { AdmissionPlugin } from '../../admission/admission.ts';
import { forbidden } from '../../http/api-error.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { generatedName } from '../../verbs/metadata.ts';
import { metadataAt, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import type { Lookup } from '../lookup.ts';
import { isPodWrite } from './pod-write.ts';

const ACCOUNTS = { group: '', plural: 'serviceaccounts', namespaced: true } as const;
const PODS = { group: '', plural: 'pods' } as const;
const MIRROR = 'kubernetes.io/config.mirror';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
/** A little over an hour: the token is renewed before the hour is over. */
const TOKEN_SECONDS = 3607;

/** Every pod acts as some account, and finds its token, the CA and its namespace mounted, unless it does not want them. */
export function serviceAccount(lookup: Lookup, random: () => number): AdmissionPlugin {
  return {
    name: 'ServiceAccount',
    mutate(request) {
      const { object, namespace = '', name } = request;
      if (!isPodWrite(request, ['CREATE']) || !object) return undefined;
      if (objectAt(metadataAt(object), 'annotations')[MIRROR] !== undefined) return undefined;
      const spec = specAt(object);
      const account = textAt(spec, 'serviceAccountName') || 'default';
      const found = lookup.get(ACCOUNTS, namespace, account);
      if (!found)
        throw forbidden(
          PODS,
          name,
          `error looking up service account ${namespace}/${account}: serviceaccount "${account}" not found`,
        );
      const named: JsonObject = { ...spec, serviceAccountName: account, serviceAccount: account };
      if (objectsAt(spec, 'imagePullSecrets').length === 0 && objectsAt(found, 'imagePullSecrets').length > 0)
        named['imagePullSecrets'] = structuredClone(objectsAt(found, 'imagePullSecrets'));
      const wantsToken = spec['automountServiceAccountToken'] ?? found['automountServiceAccountToken'] ?? true;
      return { ...object, spec: wantsToken === false ? named : withToken(named, random) };
    },
    validate(request) {
      const { object, name } = request;
      if (!isPodWrite(request, ['CREATE']) || !object) return;
      const account = textAt(specAt(object), 'serviceAccountName');
      const isMirror = objectAt(metadataAt(object), 'annotations')[MIRROR] !== undefined;
      if (isMirror && account !== '') throw forbidden(PODS, name, 'a mirror pod may not reference service accounts');
    },
  };
}

function withToken(spec: JsonObject, random: () => number): JsonObject {
  const containers = ['initContainers', 'containers'].flatMap((kind) => objectsAt(spec, kind));
  const lacks = (container: JsonObject) =>
    !objectsAt(container, 'volumeMounts').some((mount) => mount['mountPath'] === MOUNT_PATH);
  if (!containers.some(lacks)) return spec;
  const volumes = objectsAt(spec, 'volumes');
  const existing = volumes.find((volume) => textAt(volume, 'name').startsWith('kube-api-access-'));
  const volume = existing ? textAt(existing, 'name') : generatedName('kube-api-access-', random);
  const mounted = (container: JsonObject): JsonObject =>
    lacks(container)
      ? {
          ...container,
          volumeMounts: [
            ...objectsAt(container, 'volumeMounts'),
            { name: volume, readOnly: true, mountPath: MOUNT_PATH },
          ],
        }
      : container;
  const result: JsonObject = { ...spec, containers: objectsAt(spec, 'containers').map(mounted) };
  if (spec['initContainers'] !== undefined) result['initContainers'] = objectsAt(spec, 'initContainers').map(mounted);
  if (!existing) result['volumes'] = [...volumes, tokenVolume(volume)];
  return result;
}

function tokenVolume(name: string): JsonObject {
  return {
    name,
    projected: {
      sources: [
        { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
        { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
        {
          downwardAPI: {
            items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
          },
        },
      ],
      defaultMode: 420,
    },
  };
}
