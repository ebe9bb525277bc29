import type { ObjectOf } from '@sandbank/kube';
import { flag, freeForm, int32, int64, intOrString, known, object, oneOf, optional, setOf } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions, labelSelector } from '../schema/kubernetes.ts';
import { updateOpsPhases, updateOpsStates, upgradeTypes } from './constants.ts';
import { group } from './group.ts';
import { lifecycle } from './template-fields.ts';

// kruise 1.6
const spec = object({
  selector: labelSelector('Which sandboxes of the namespace.'),
  updateStrategy: optional(
    object({
      type: optional(oneOf(upgradeTypes, { description: 'Recreate when absent.' })),
      maxUnavailable: optional(intOrString({ description: 'How many at once; one when absent.' })),
    }),
  ),
  patch: optional(freeForm({ description: 'Strategic merge patch over the template of each sandbox.' })),
  lifecycle,
  paused: optional(flag({ description: 'Start no further upgrades.' })),
  stateFilter: optional(
    object({ states: optional(setOf(oneOf(updateOpsStates), { description: 'Running only, when empty.' })) }),
  ),
});

const status = object({
  observedGeneration: optional(int64()),
  phase: optional(known(updateOpsPhases)),
  replicas: int32(),
  updatedReplicas: int32(),
  failedReplicas: int32(),
  updatingReplicas: int32(),
  conditions: optional(conditions()),
});

/** kruise 1.6: one change to many sandboxes. */
export const SandboxUpdateOps = defineKind({
  ...group,
  kind: 'SandboxUpdateOps',
  plural: 'sandboxupdateops',
  shortNames: ['suo'],
  description: 'Upgrades many sandboxes by one patch, a few at a time.',
  columns: [
    column('Phase', '.status.phase', 'string'),
    column('Total', '.status.replicas', 'integer'),
    column('Updated', '.status.updatedReplicas', 'integer'),
    column('Updating', '.status.updatingReplicas', 'integer'),
    column('Failed', '.status.failedReplicas', 'integer'),
    ageColumn(),
  ],
  spec,
  status,
});
export type SandboxUpdateOps = ObjectOf<typeof SandboxUpdateOps>;
