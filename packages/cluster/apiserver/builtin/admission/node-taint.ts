import type { AdmissionPlugin } from '../../admission/admission.ts';
import { objectsAt, specAt, textAt } from '../fields.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';

/** A new node takes no pods until it has said that it is ready; the node controller (or a simulated node) takes this off. */
export const newNodesAreTainted: AdmissionPlugin = {
  name: 'TaintNodesByCondition',
  mutate({ operation, resource, subresource, object }) {
    if (operation !== 'CREATE' || resource.group !== '' || resource.plural !== 'nodes' || subresource || !object)
      return undefined;
    const taints = objectsAt(specAt(object), 'taints');
    if (taints.some((taint) => textAt(taint, 'key') === NOT_READY && taint['effect'] === 'NoSchedule'))
      return undefined;
    return { ...object, spec: { ...specAt(object), taints: [...taints, { key: NOT_READY, effect: 'NoSchedule' }] } };
  },
};
