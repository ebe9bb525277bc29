import type { ObjectOf } from '@sandbank/kube';
import { atomicList, flag, freeForm, int64, known, object, optional, text, time } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { checkpointContents, checkpointPhases } from './constants.ts';
import { group } from './group.ts';

// kruise 1.5
const spec = object({
  sandboxName: optional(text()),
  podName: optional(text()),
  keepRunning: optional(flag({ description: 'Whether the sandbox runs on afterwards; read as true when absent.' })),
  persistentContents: optional(atomicList(known(checkpointContents))),
  ttlAfterFinished: optional(text({ description: 'Such as 30s, 30m or 30d.', examples: ['30d'] })),
});

const status = object({
  observedGeneration: optional(int64()),
  phase: optional(known(checkpointPhases)),
  message: optional(text()),
  checkpointId: optional(text()),
  completionTime: optional(time()),
  podTemplateDelta: optional(
    freeForm({ description: 'Strategic merge patch over the template of a sandbox that is restored.' }),
  ),
});

/** kruise 1.5: the state of a sandbox, kept. */
export const Checkpoint = defineKind({
  ...group,
  kind: 'Checkpoint',
  plural: 'checkpoints',
  shortNames: ['cp'],
  description: 'The state of a sandbox, kept so that others can start from it.',
  columns: [column('Status', '.status.phase', 'string'), ageColumn()],
  spec,
  status,
});
export type Checkpoint = ObjectOf<typeof Checkpoint>;
