import type { ObjectOf } from '@sandbank/kube';
import { int32, int64, intOrString, object, optional, text } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions } from '../schema/kubernetes.ts';
import { group } from './group.ts';
import { contents, pauseStrategy, runtimes, template, templateRef, volumeClaimTemplates } from './template-fields.ts';

const throttle = (description: string) =>
  optional(object({ maxUnavailable: optional(intOrString()) }, { description }));

// kruise 1.2. The bound of replicas is the one that the scale subresource enforces in any case.
const spec = object({
  replicas: int32({ minimum: 0, description: 'How many unclaimed sandboxes to hold; claimed ones do not count.' }),
  scaleStrategy: throttle('How many sandboxes may be on their way while the set grows; no bound when absent.'),
  updateStrategy: throttle('How many sandboxes may be missing while a new template is rolled out.'),
  pauseStrategy,
  persistentContents: contents,
  runtimes,
  templateRef,
  template,
  volumeClaimTemplates,
});

const status = object({
  observedGeneration: optional(int64()),
  replicas: int32({ description: 'Unclaimed sandboxes: available ones and ones on their way.' }),
  availableReplicas: int32(),
  updateRevision: optional(text()),
  currentRevision: optional(text({ description: 'Name of the SandboxTemplate made from the inline template.' })),
  updatedReplicas: optional(int32()),
  updatedAvailableReplicas: optional(int32()),
  conditions: optional(conditions()),
  selector: optional(text({ description: 'For the scale subresource.' })),
});

/** kruise 1.2: a pool of sandboxes that wait to be claimed. */
export const SandboxSet = defineKind({
  ...group,
  kind: 'SandboxSet',
  plural: 'sandboxsets',
  shortNames: ['sbs'],
  description: 'A number of equal sandboxes that wait to be claimed.',
  scale: {
    specReplicasPath: '.spec.replicas',
    statusReplicasPath: '.status.replicas',
    labelSelectorPath: '.status.selector',
  },
  columns: [
    column('Replicas', '.status.replicas', 'integer'),
    column('Available', '.status.availableReplicas', 'integer'),
    column('UpdatedReplicas', '.status.updatedReplicas', 'integer'),
    column('UpdatedAvailableReplicas', '.status.updatedAvailableReplicas', 'integer'),
    column('UpdateRevision', '.status.updateRevision', 'string'),
    ageColumn(),
  ],
  spec,
  status,
});
export type SandboxSet = ObjectOf<typeof SandboxSet>;
