import type { Strategy } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { timestamp } from '../../verbs/stored-object.ts';
import { ensureObject, metadataAt, numberAt, objectAt, objectsAt, specAt, statusAt, textAt } from '../fields.ts';
import { defaultPod } from './defaults.ts';
import { qosClass } from './qos-class.ts';
import { validatePodUpdate } from './update-validation.ts';
import { validatePod } from './validation.ts';

const FINISHED = ['Succeeded', 'Failed'];

export const podStrategy: Strategy = {
  prepareCreate(pod, { now }) {
    const spec = ensureObject(pod, 'spec');
    if ((numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0) spec['terminationGracePeriodSeconds'] = 1;
    const status: JsonObject = { phase: 'Pending', qosClass: qosClass(pod) };
    if (objectsAt(spec, 'schedulingGates').length > 0) {
      status['conditions'] = [
        {
          type: 'PodScheduled',
          status: 'False',
          reason: 'SchedulingGated',
          message: 'Scheduling is blocked due to non-empty scheduling gates',
          lastProbeTime: null,
          lastTransitionTime: timestamp(now),
        },
      ];
    }
    pod['status'] = status;
  },
  prepareUpdate(pod, old, { subresource }) {
    if (subresource === 'status') {
      // A pod's class is decided once.
      const qos = statusAt(old)['qosClass'];
      if (qos !== undefined && isPlain(pod['status'])) pod['status'] = { ...objectAt(pod, 'status'), qosClass: qos };
      keepMetadata(pod, old);
    }
  },
  applyDefaults: defaultPod,
  validateCreate: validatePod,
  validateUpdate: validatePodUpdate,
  selectableFields: [
    'spec.nodeName',
    'spec.restartPolicy',
    'spec.schedulerName',
    'spec.serviceAccountName',
    'spec.hostNetwork',
    'status.phase',
    'status.podIP',
    'status.nominatedNodeName',
  ],
  /** A pod that runs nowhere, or no longer, has nothing to finish. */
  defaultGracePeriodSeconds(pod) {
    if (textAt(specAt(pod), 'nodeName') === '' || FINISHED.includes(textAt(statusAt(pod), 'phase'))) return 0;
    return Math.max(numberAt(specAt(pod), 'terminationGracePeriodSeconds') ?? 30, 1);
  },
};

const isPlain = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Owners are not written through the status. */
function keepMetadata(pod: JsonObject, old: JsonObject): void {
  const before = metadataAt(old);
  const metadata = { ...metadataAt(pod) };
  for (const field of ['ownerReferences']) {
    const value = before[field];
    if (value === undefined) delete metadata[field];
    else metadata[field] = value;
  }
  pod['metadata'] = metadata;
}
