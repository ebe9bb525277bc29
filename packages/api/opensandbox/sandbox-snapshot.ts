import type { ObjectOf } from '@sandbank/kube';
import { int64, list, listMap, object, oneOf, optional, text, time } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { snapshotConditions, snapshotPhases } from './constants.ts';
import { group } from './group.ts';

// opensandbox 1.6
const spec = object({
  sandboxName: text({ description: 'BatchSandbox of the same namespace whose containers are committed.' }),
});

const status = object({
  phase: optional(oneOf(snapshotPhases)),
  containers: optional(
    list(
      object({
        containerName: text(),
        imageUri: text({ description: 'Where the image goes; known before the commit starts.' }),
        imageDigest: optional(text({ description: 'Known once the image was pushed.' })),
      }),
    ),
  ),
  conditions: optional(
    listMap(
      object({
        type: oneOf(snapshotConditions),
        status: oneOf(['True', 'False']),
        reason: optional(text()),
        message: optional(text()),
        lastTransitionTime: optional(time()),
      }),
      'type',
      { description: 'Only what is True is kept.' },
    ),
  ),
  sourcePodName: optional(text()),
  sourceNodeName: optional(text()),
  observedGeneration: optional(int64()),
});

/** opensandbox 1.6: the root file systems of a sandbox, committed as images. */
export const SandboxSnapshot = defineKind({
  ...group,
  kind: 'SandboxSnapshot',
  plural: 'sandboxsnapshots',
  shortNames: ['sbxsnap'],
  description: 'The root file systems of a sandbox, committed as images.',
  columns: [
    column('PHASE', '.status.phase', 'string'),
    column('SANDBOX', '.spec.sandboxName', 'string'),
    ageColumn('AGE'),
  ],
  spec,
  status,
});
export type SandboxSnapshot = ObjectOf<typeof SandboxSnapshot>;
