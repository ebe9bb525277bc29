import type { Store } from '../../store/store.ts';
import { ApiError, forbidden, notFound } from '../http/api-error.ts';
import { objectOf, textOf } from '../verbs/stored-object.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };
const namespaceKey = (name: string) => `/registry/core/namespaces/${name}`;
/** Namespaces that the cluster can't be without. */
const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);

/** Nothing is made in a namespace that does not exist or is going away; the namespaces of the system stay. */
export function namespaceLifecycle(store: Store): AdmissionPlugin {
  return {
    name: 'NamespaceLifecycle',
    validate(request: AdmissionRequest): void {
      const { operation, resource, namespace, name } = request;
      if (operation === 'DELETE' && resource.group === '' && resource.plural === 'namespaces' && IMMORTAL.has(name)) {
        throw forbidden(NAMESPACES, name, 'this namespace may not be deleted');
      }
      if (operation !== 'CREATE' || namespace === undefined || request.subresource !== undefined) return;
      // Reviews ask about a namespace; they put nothing into it.
      if (resource.virtual) return;
      const entry = store.get(namespaceKey(namespace));
      if (!entry) throw notFound(NAMESPACES, namespace);
      if (textOf(objectOf(entry), 'deletionTimestamp') === '') return;
      throw new ApiError(
        403,
        'Forbidden',
        `${resource.group === '' ? resource.plural : `${resource.plural}.${resource.group}`} "${name}" is forbidden: unable to create new content in namespace ${namespace} because it is being terminated`,
        {
          name,
          ...(resource.group === '' ? {} : { group: resource.group }),
          kind: resource.plural,
          causes: [
            {
              reason: 'NamespaceTerminating',
              message: `namespace ${namespace} is being terminated`,
              field: 'metadata.namespace',
            },
          ],
        },
      );
    },
  };
}
