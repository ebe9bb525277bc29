import type { ObjectOf } from '@sandbank/kube';
import {
  defaulted,
  duration,
  flag,
  freeForm,
  int32,
  int64,
  intOrString,
  known,
  map,
  object,
  oneOf,
  optional,
  text,
  time,
} from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions, labelSelector } from '../schema/kubernetes.ts';
import { imagePolicies, legacyScaleUpResults, poolPhases, scaleUpResults } from './constants.ts';
import { group } from './group.ts';
import { templateFields } from './template-fields.ts';

/** navix 1.1, 1.3: whether all traffic that leaves a sandbox goes through a sidecar. */
export const gateway = optional(object({ enabled: optional(flag()) }));

/** navix 1.1: the predecessor of `gateway`; kept as it is, so that nobody loses it. */
export const networkPolicy = optional(freeForm({ description: 'Older form of gateway; kept, not acted on.' }));

/** navix 1.3; a member of a SandboxEnv embeds it too. */
export const sandboxPoolSpec = object({
  replicas: int32({ minimum: 0, description: 'Pods in all, in use or not.' }),
  templateName: optional(text({ description: 'The SandboxTemplate that this pool was rendered from.' })),
  defaultStartupTimeout: optional(duration({ description: 'How long a claim may take, where it does not say.' })),
  defaultIdleTimeout: optional(duration({ description: 'How long a sandbox may be idle; for ever when absent.' })),
  podCreationImagePolicy: defaulted(oneOf(imagePolicies, { description: 'What a new pod runs.' }), 'IdleImage'),
  gateway,
  networkPolicy,
  maxUnavailable: optional(intOrString({ description: 'Throttle of a rollout; 20% when absent.' })),
  ...templateFields,
});

// navix 1.4
const autoscaling = object({
  lastScaleUpTime: optional(time()),
  lastScaleDownTime: optional(time()),
  idleZeroSince: optional(time()),
  lastScaleUpAttemptTime: optional(time()),
  lastScaleUpAttemptResult: optional(known([...scaleUpResults, ...legacyScaleUpResults])),
  saturatedUntil: optional(time({ description: 'Written by older versions only.' })),
  scaleUpErrorMessage: optional(text()),
  observedGeneration: optional(int64()),
});

const status = object({
  phase: optional(oneOf(poolPhases)),
  idleReplicas: optional(int32()),
  unavailableIdleReplicas: optional(int32({ description: 'Of the idle ones, those that are not Ready.' })),
  runningReplicas: optional(int32()),
  startingReplicas: optional(int32()),
  stoppingReplicas: optional(int32()),
  failedReplicas: optional(int32()),
  updateRevision: optional(text()),
  currentRevision: optional(text({ description: 'Empty while pods are of different revisions.' })),
  updatedReplicas: optional(int32()),
  pendingRequests: optional(int32()),
  selector: optional(text({ description: 'For the scale subresource.' })),
  labelSelector: optional(labelSelector('The pods of this pool.')),
  phaseSelectors: optional(map(text(), { description: 'Selectors by phase, for kubectl get pods -l.' })),
  conditions: optional(conditions()),
  autoscaling: optional(autoscaling),
});

/** navix 1.3: warm pods of one shape. */
export const SandboxPool = defineKind({
  ...group,
  kind: 'SandboxPool',
  plural: 'sandboxpools',
  shortNames: ['sbp'],
  description: 'Warm pods of one shape, as a member of a SandboxEnv or alone.',
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.runningReplicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    column('Phase', '.status.phase', 'string'),
    column('Replicas', '.spec.replicas', 'integer'),
    column('Idle', '.status.idleReplicas', 'integer'),
    column('Unavail', '.status.unavailableIdleReplicas', 'integer'),
    column('Running', '.status.runningReplicas', 'integer'),
    column('Starting', '.status.startingReplicas', 'integer'),
    column('Stopping', '.status.stoppingReplicas', 'integer'),
    column('Failed', '.status.failedReplicas', 'integer'),
    ageColumn(),
  ],
  spec: sandboxPoolSpec,
  status,
});
export type SandboxPool = ObjectOf<typeof SandboxPool>;
