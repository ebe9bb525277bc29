import type { ObjectOf } from '@sandbank/kube';
import { list, object, optional, text } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions } from '../schema/kubernetes.ts';
import { group } from './group.ts';
import { templateFields } from './template-fields.ts';

// navix 1.5
const spec = object({
  ...templateFields,
  version: optional(text()),
  description: optional(text()),
  visibility: optional(
    object({
      rules: optional(
        list(object({ team: optional(text()), users: optional(list(text())) }), {
          description: 'One that fits is enough; none at all means everybody.',
        }),
      ),
    }),
  ),
});

const status = object({ conditions: optional(conditions()) });

/** navix 1.5: what the pools of an Env are rendered from. */
export const SandboxTemplate = defineKind({
  ...group,
  kind: 'SandboxTemplate',
  plural: 'sandboxtemplates',
  shortNames: ['sbt'],
  scope: 'Cluster',
  description: 'What the pools of a SandboxEnv are rendered from.',
  columns: [column('Version', '.spec.version', 'string'), ageColumn()],
  spec,
  status,
});
export type SandboxTemplate = ObjectOf<typeof SandboxTemplate>;
