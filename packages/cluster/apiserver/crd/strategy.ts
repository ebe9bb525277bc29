import type { Strategy } from '../registry/resource.ts';
import { metadataOf, stringsOf } from '../verbs/stored-object.ts';
import { defaultCrd } from './defaults.ts';
import { CLEANUP } from './follower.ts';
import { asCrd } from './model.ts';
import { validateCrd } from './validate.ts';

/** What is special about a CustomResourceDefinition as an object. What it makes the server do is in `follower.ts`. */
export const crdStrategy: Strategy = {
  applyDefaults: defaultCrd,
  prepareCreate(object) {
    const storage = asCrd(object).spec.versions.find((version) => version.storage);
    object['status'] = { storedVersions: storage ? [storage.name] : [] };
    const finalizers = stringsOf(object, 'finalizers');
    object['metadata'] = { ...metadataOf(object), finalizers: [...new Set([...finalizers, CLEANUP])] };
  },
  validateCreate: (object) => validateCrd(object),
  validateUpdate: (object, old) => validateCrd(object, old),
};
