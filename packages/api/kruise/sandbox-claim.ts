import type { ObjectOf } from '@sandbank/kube';
import {
  atomicList,
  defaulted,
  duration,
  flag,
  int32,
  int64,
  known,
  listMap,
  map,
  object,
  optional,
  quantity,
  text,
  time,
} from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions } from '../schema/kubernetes.ts';
import { claimPhases } from './constants.ts';
import { group } from './group.ts';

const atLeastOneSecond = (field: string) => [
  { rule: "duration(self) >= duration('1s')", message: `${field} must be at least 1 second` },
];

const granular = (description: string) => optional(map(text(), { description, mapType: 'granular' }));

const csiMount = object({
  mountID: optional(text()),
  pvName: text(),
  mountPath: text(),
  subPath: optional(text()),
  readOnly: optional(flag()),
  attributes: optional(map(text())),
});

// kruise 1.3
const spec = object({
  templateName: text({ description: 'SandboxSet of the same namespace to claim from.' }),
  replicas: defaulted(
    int32({
      minimum: 1,
      description: 'How many sandboxes to claim.',
      rules: [{ rule: 'self == oldSelf', message: 'replicas is immutable' }],
    }),
    1,
  ),
  shutdownTime: optional(time({ description: 'When the claimed sandboxes are deleted.' })),
  claimTimeout: defaulted(
    duration({ description: 'How long the whole claim may take.', rules: atLeastOneSecond('claimTimeout') }),
    '1m',
  ),
  ttlAfterCompleted: defaulted(
    duration({ description: 'When the claim object itself goes; a negative value keeps it.' }),
    '60m',
  ),
  labels: granular('Put on the claimed sandboxes.'),
  annotations: granular('Put on the claimed sandboxes.'),
  envVars: granular('Handed to the runtime inside the claimed sandboxes.'),
  inplaceUpdate: optional(
    object(
      {
        image: optional(text()),
        resources: optional(object({ requests: optional(map(quantity())), limits: optional(map(quantity())) })),
      },
      { description: 'Changes to the first container while it is claimed.' },
    ),
  ),
  dynamicVolumesMount: optional(
    listMap(csiMount, 'mountPath', { description: 'Volumes that are mounted at the time of the claim.' }),
  ),
  runtimes: optional(atomicList(object({ name: text() }))),
  reserveFailedSandbox: optional(flag({ description: 'Keep sandboxes that failed, to look into them.' })),
  createOnNoStock: defaulted(flag({ description: 'Make a sandbox when the set has none left.' }), true),
  waitReadyTimeout: defaulted(
    duration({
      description: 'How long one sandbox may take to be Ready.',
      rules: atLeastOneSecond('waitReadyTimeout'),
    }),
    '30s',
  ),
  skipInitRuntime: defaulted(flag({ description: 'Do not call the runtime inside the sandbox.' }), false),
});

const status = object({
  observedGeneration: optional(int64()),
  phase: optional(known(claimPhases)),
  message: optional(text()),
  claimedReplicas: optional(int32()),
  claimStartTime: optional(time()),
  completionTime: optional(time()),
  conditions: optional(conditions()),
});

/** kruise 1.3: asks a SandboxSet for sandboxes. */
export const SandboxClaim = defineKind({
  ...group,
  kind: 'SandboxClaim',
  plural: 'sandboxclaims',
  shortNames: ['sbc'],
  description: 'Asks a SandboxSet for a number of sandboxes.',
  columns: [
    column('Phase', '.status.phase', 'string'),
    column('Template', '.spec.templateName', 'string'),
    column('Desired', '.spec.replicas', 'integer'),
    column('Claimed', '.status.claimedReplicas', 'integer'),
    ageColumn(),
  ],
  spec,
  status,
});
export type SandboxClaim = ObjectOf<typeof SandboxClaim>;
