import type { Strategy } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { ensureObject, metadataAt, objectAt, specAt, statusAt, stringsAt, textAt } from '../fields.ts';

const FINALIZER = 'kubernetes';
const NAME_LABEL = 'kubernetes.io/metadata.name';

export const namespaceStrategy: Strategy = {
  applyDefaults(namespace) {
    labelName(namespace);
    const status = ensureObject(namespace, 'status');
    if (status['phase'] === undefined) status['phase'] = 'Active';
  },
  prepareCreate(namespace) {
    namespace['status'] = { phase: 'Active' };
    const spec = ensureObject(namespace, 'spec');
    const finalizers = stringsAt(spec, 'finalizers');
    if (!finalizers.includes(FINALIZER)) spec['finalizers'] = [...finalizers, FINALIZER];
  },
  /** What still has to be cleaned up is told by `finalize` alone. */
  prepareUpdate(namespace, old, { subresource }) {
    labelName(namespace);
    if (subresource === 'finalize') return;
    const before = old['spec'];
    if (before === undefined) delete namespace['spec'];
    else namespace['spec'] = before;
  },
  selectableFields: ['status.phase'],
  isHeld: (namespace) => stringsAt(specAt(namespace), 'finalizers').length > 0,
  markDeleted: (namespace) => ({ ...namespace, status: { ...statusAt(namespace), phase: 'Terminating' } }),
};

/** So that a namespace can be selected by its name. */
function labelName(namespace: JsonObject): void {
  const metadata = metadataAt(namespace);
  const name = textAt(metadata, 'name');
  if (name === '') return;
  namespace['metadata'] = { ...metadata, labels: { ...objectAt(metadata, 'labels'), [NAME_LABEL]: name } };
}
