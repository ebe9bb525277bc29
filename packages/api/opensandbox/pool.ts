import type { ObjectOf } from '@sandbank/kube';
import { defaulted, int32, int64, intOrString, object, oneOf, optional, text } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { podTemplate } from '../schema/kubernetes.ts';
import { recycleStrategies } from './constants.ts';
import { group } from './group.ts';

const throttle = (description: string) =>
  optional(
    object(
      { maxUnavailable: optional(intOrString({ description: 'A count or a percentage; 25% when absent.' })) },
      {
        description,
      },
    ),
  );

// opensandbox 1.4
const spec = object({
  template: optional(podTemplate('What the warm pods are made of.')),
  capacitySpec: object({
    bufferMax: int32({ minimum: 0, description: 'More idle pods than this are removed.' }),
    bufferMin: int32({ minimum: 0, description: 'Fewer idle pods than this are filled up.' }),
    poolMax: int32({ minimum: 0, description: 'No pod is created beyond this many.' }),
    poolMin: int32({ minimum: 0, description: 'The pool is never smaller than this.' }),
  }),
  scaleStrategy: throttle('How fast the pool grows.'),
  updateStrategy: throttle('How fast a new template is rolled out.'),
  recycleStrategy: optional(
    object({
      type: defaulted(
        oneOf(recycleStrategies, { description: 'What becomes of a pod that is handed back.' }),
        'Delete',
      ),
    }),
  ),
});

// opensandbox 1.5
const status = object({
  observedGeneration: optional(int64()),
  revision: text({ description: 'Hash of the template that new pods are made of.' }),
  total: int32({ description: 'Pods of the pool that are not being deleted.' }),
  allocated: int32({ description: 'Pods that a batch holds.' }),
  available: int32({ description: 'Pods that run, are Ready and can be handed out.' }),
  updated: optional(int32({ description: 'Pods of the current revision.' })),
});

/** opensandbox 1.4: warm pods, and how many of them. */
export const Pool = defineKind({
  ...group,
  kind: 'Pool',
  plural: 'pools',
  description: 'Warm pods that wait to be handed to a BatchSandbox.',
  columns: [
    column('TOTAL', '.status.total', 'integer'),
    column('ALLOCATED', '.status.allocated', 'integer'),
    column('AVAILABLE', '.status.available', 'integer'),
    column('UPDATED', '.status.updated', 'integer'),
    ageColumn('AGE'),
  ],
  spec,
  status,
});
export type Pool = ObjectOf<typeof Pool>;
