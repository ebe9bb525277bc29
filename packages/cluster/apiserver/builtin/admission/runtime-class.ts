import type { AdmissionPlugin } from '../../admission/admission.ts';
import { forbidden } from '../../http/api-error.ts';
import { maybeObject, objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import type { Lookup } from '../lookup.ts';
import { isPodWrite } from './pod-write.ts';

const CLASSES = { group: 'node.k8s.io', plural: 'runtimeclasses', namespaced: false } as const;

/** A pod that names a runtime gets what that runtime costs and where it is to be found. */
export function runtimeClass(lookup: Lookup): AdmissionPlugin {
  return {
    name: 'RuntimeClass',
    mutate(request) {
      const { object, name } = request;
      if (!isPodWrite(request, ['CREATE']) || !object) return undefined;
      const spec = specAt(object);
      const wanted = textAt(spec, 'runtimeClassName');
      if (wanted === '') return undefined;
      const found = lookup.get(CLASSES, undefined, wanted);
      if (!found)
        throw forbidden({ group: '', plural: 'pods' }, name, `pod rejected: RuntimeClass "${wanted}" not found`);
      const overhead = maybeObject(objectAt(found, 'overhead'), 'podFixed');
      const scheduling = objectAt(found, 'scheduling');
      const selector = { ...objectAt(spec, 'nodeSelector'), ...objectAt(scheduling, 'nodeSelector') };
      const tolerations = [...objectsAt(spec, 'tolerations'), ...objectsAt(scheduling, 'tolerations')];
      return {
        ...object,
        spec: {
          ...spec,
          ...(overhead ? { overhead } : {}),
          ...(Object.keys(selector).length > 0 ? { nodeSelector: selector } : {}),
          ...(tolerations.length > 0 ? { tolerations } : {}),
        },
      };
    },
  };
}
