import type { ObjectOf } from '@sandbank/kube';
import { defaulted, int32, listMap, object, oneOf, optional, text } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { envModes } from './constants.ts';
import { envAutoscaling } from './env-autoscaling.ts';
import { envMember, envOverrides } from './env-member.ts';
import { envStatus } from './env-status.ts';
import { group } from './group.ts';

// navix 1.1
const cluster = object({
  clusterID: text({ description: 'The cluster that this part belongs to; nobody else writes it.' }),
  members: optional(listMap(envMember, 'name')),
});

const spec = object({
  templateRef: object({
    name: text({ description: 'The SandboxTemplate that all members are rendered from.' }),
    version: optional(text({ description: 'Kept, but pins nothing.' })),
  }),
  mode: defaulted(oneOf(envModes, { description: 'OnDemandJob is reserved.' }), 'WarmPool'),
  defaults: optional(
    object(
      { instanceType: optional(text()), multiplier: optional(int32({ minimum: 1 })) },
      { description: 'Size of a sandbox whose creator names none.' },
    ),
  ),
  clusters: optional(listMap(cluster, 'clusterID')),
  autoscaling: optional(envAutoscaling),
  overrides: optional(envOverrides),
});

/** navix 1.1: sandboxes of one template in several sizes and places. */
export const SandboxEnv = defineKind({
  ...group,
  kind: 'SandboxEnv',
  plural: 'sandboxenvs',
  shortNames: ['sbe'],
  description: 'Sandboxes of one template, in pools of several sizes and places.',
  columns: [
    column('Mode', '.spec.mode', 'string'),
    column('Template', '.spec.templateRef.name', 'string'),
    column('Members', '.status.memberCount', 'integer'),
    column('Running', '.status.runningReplicas', 'integer'),
    column('Idle', '.status.idleReplicas', 'integer'),
    column('Ready', '.status.conditions[?(@.type=="Ready")].status', 'string'),
    ageColumn(),
  ],
  spec,
  status: envStatus,
});
export type SandboxEnv = ObjectOf<typeof SandboxEnv>;
