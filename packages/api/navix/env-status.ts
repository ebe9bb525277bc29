import { flag, int32, listMap, object, oneOf, optional, text, time } from '../schema/fields.ts';
import { conditions, resourceRequirements } from '../schema/kubernetes.ts';
import { memberStates } from './constants.ts';

// navix 1.2
const observedMember = object({
  name: text(),
  instanceType: optional(text()),
  multiplier: optional(int32()),
  effectiveResources: optional(resourceRequirements('Size of one sandbox.')),
  state: optional(oneOf(memberStates)),
  idleCount: optional(int32()),
  runningCount: optional(int32()),
  desiredReplicas: optional(int32()),
  currentReplicas: optional(int32()),
  pendingRequests: optional(int32()),
  saturatedUntil: optional(time()),
  scalingGroup: optional(text()),
  autoscalingEnabled: optional(flag()),
  scaleUpHeadroom: optional(int32({ description: 'Absent: no limit, or no autoscaling. 0: at the limit.' })),
  updateRevision: optional(text()),
  updatedReplicas: optional(int32()),
  templateVersion: optional(text()),
});

const cluster = object({
  clusterID: text(),
  isLocal: optional(flag()),
  lastSnapshotTime: optional(time()),
  observedMembers: optional(listMap(observedMember, 'name')),
});

const scalingGroup = object({
  name: text(),
  totalIdle: optional(int32()),
  totalRunning: optional(int32()),
  totalDesired: optional(int32()),
});

/** navix 1.2 */
export const envStatus = object({
  conditions: optional(conditions()),
  clusters: optional(listMap(cluster, 'clusterID')),
  scalingGroups: optional(listMap(scalingGroup, 'name')),
  memberCount: optional(int32()),
  desiredReplicas: optional(int32()),
  runningReplicas: optional(int32()),
  idleReplicas: optional(int32()),
  localMemberCount: optional(int32({ description: 'Written by v0.0.6 only.' })),
  pendingRequests: optional(int32({ description: 'Written by v0.0.6 only.' })),
});
