import type { ObjectOf } from '@sandbank/kube';
import { flag, int32, int64, known, map, object, oneOf, optional, text, time } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions } from '../schema/kubernetes.ts';
import { sandboxPhases, upgradeTypes } from './constants.ts';
import { group } from './group.ts';
import {
  contents,
  lifecycle,
  pauseStrategy,
  runtimes,
  template,
  templateRef,
  volumeClaimTemplates,
} from './template-fields.ts';

// kruise 1.1
const spec = object({
  paused: optional(flag({ description: 'Whether the sandbox is to be paused.' })),
  pauseStrategy,
  persistentContents: contents,
  shutdownTime: optional(time({ description: 'When the sandbox is deleted; a time in the past deletes it now.' })),
  pauseTime: optional(time({ description: 'When the sandbox is paused by itself.' })),
  runtimes,
  lifecycle,
  upgradePolicy: optional(
    object(
      { type: optional(oneOf(upgradeTypes)) },
      { description: 'How a changed template reaches the pod; absent means in place or not at all.' },
    ),
  ),
  templateRef,
  template,
  volumeClaimTemplates,
});

const status = object({
  observedGeneration: optional(int64()),
  phase: optional(known(sandboxPhases)),
  message: optional(text()),
  conditions: optional(conditions()),
  podInfo: optional(
    object({
      annotations: optional(map(text(), { mapType: 'granular' })),
      labels: optional(map(text(), { mapType: 'granular' })),
      nodeName: optional(text()),
      podIP: optional(text()),
      podUID: optional(text()),
    }),
  ),
  nodeName: optional(text()),
  sandboxIp: optional(text()),
  updateRevision: optional(text({ description: 'Hash of the template that was last acted on.' })),
  recycledCount: optional(int32({ description: 'How often the sandbox went back to its pool.' })),
});

/** kruise 1.1: one sandbox, that is one pod with a life that outlasts it. */
export const Sandbox = defineKind({
  ...group,
  kind: 'Sandbox',
  plural: 'sandboxes',
  shortNames: ['sbx'],
  description: 'One sandbox: a pod that can be paused, resumed, upgraded and handed back.',
  columns: [
    column('Status', '.status.phase', 'string'),
    ageColumn(),
    column('Claimed', '.metadata.labels.agents\\.kruise\\.io/sandbox-claimed', 'string'),
    column('shutdown_time', '.spec.shutdownTime', 'string'),
    column('pause_time', '.spec.pauseTime', 'string'),
    column('RecycledCount', '.status.recycledCount', 'integer'),
    column('Message', '.status.message', 'string'),
  ],
  spec,
  status,
});
export type Sandbox = ObjectOf<typeof Sandbox>;
