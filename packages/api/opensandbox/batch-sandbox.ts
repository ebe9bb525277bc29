import type { ObjectOf } from '@sandbank/kube';
import {
  anything,
  defaulted,
  flag,
  freeForm,
  int32,
  int64,
  known,
  list,
  listMap,
  object,
  oneOf,
  optional,
  text,
  time,
} from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { podTemplate } from '../schema/kubernetes.ts';
import { batchConditions, batchPhases, taskResourcePolicies } from './constants.ts';
import { group } from './group.ts';

/** opensandbox 1.2: what a task runs. The API server checks none of it, so every field may be missing. */
export interface TaskTemplate {
  spec?: {
    process?: {
      command?: string[];
      args?: string[];
      env?: { name: string; value?: string; [field: string]: unknown }[];
      workingDir?: string;
    };
    timeoutSeconds?: number;
  };
}

// opensandbox 1.1
const spec = object({
  replicas: defaulted(int32({ minimum: 0, description: 'How many sandboxes, and how many tasks.' }), 1),
  poolRef: optional(
    text({ description: 'Pool of the same namespace that delivers; `*` picks one; empty makes pods directly.' }),
  ),
  template: optional(podTemplate('Pods of direct mode; with poolRef `*` a hint for the choice of the pool.')),
  shardPatches: optional(
    list(anything(), { description: 'Entry i is a strategic merge patch over pod i, in direct mode.' }),
  ),
  expireTime: optional(time({ description: 'When the batch is deleted; a time in the past deletes it now.' })),
  taskTemplate: optional(
    freeForm<TaskTemplate>({
      description: 'The task of every sandbox. Present, even empty, turns task scheduling on.',
    }),
  ),
  shardTaskPatches: optional(
    list(anything(), { description: 'Entry i is a strategic merge patch over the task template of task i.' }),
  ),
  taskResourcePolicyWhenCompleted: defaulted(
    known(taskResourcePolicies, { description: 'Release gives a sandbox back when its task has ended.' }),
    'Retain',
  ),
  pause: optional(flag({ description: 'true asks to pause, false to resume; absent asks for nothing.' })),
});

// opensandbox 1.3, and 12 for the condition types that are ours
const status = object({
  observedGeneration: optional(int64()),
  replicas: int32({ description: 'Pods listed for this batch, terminating ones included.' }),
  allocated: int32({ description: 'Pods that have a node or an address.' }),
  ready: int32({ description: 'Pods that run and are Ready.' }),
  taskRunning: int32(),
  taskSucceed: int32(),
  taskFailed: int32(),
  taskPending: int32(),
  taskUnknown: int32(),
  phase: optional(oneOf(batchPhases, { description: 'Succeed is the steady running phase, not an end.' })),
  pauseObservedGeneration: optional(int64({ description: 'Generation whose pause or resume was taken up.' })),
  conditions: optional(
    listMap(
      object({
        type: oneOf(batchConditions),
        status: oneOf(['True', 'False']),
        reason: optional(text()),
        message: optional(text()),
        lastTransitionTime: optional(time()),
      }),
      'type',
      { description: 'Only what is True is kept.' },
    ),
  ),
});

/** opensandbox 1.1: a number of equal sandboxes, made directly or delivered by a Pool. */
export const BatchSandbox = defineKind({
  ...group,
  kind: 'BatchSandbox',
  plural: 'batchsandboxes',
  shortNames: ['bsbx'],
  description: 'A number of equal sandboxes, made directly or delivered by a Pool, each with a task if asked for.',
  columns: [
    column('DESIRED', '.spec.replicas', 'integer'),
    column('TOTAL', '.status.replicas', 'integer'),
    column('ALLOCATED', '.status.allocated', 'integer'),
    column('Ready', '.status.ready', 'integer'),
    column('TASK_RUNNING', '.status.taskRunning', 'integer', 1),
    column('TASK_SUCCEED', '.status.taskSucceed', 'integer', 1),
    column('TASK_FAILED', '.status.taskFailed', 'integer', 1),
    column('TASK_UNKNOWN', '.status.taskUnknown', 'integer', 1),
    column('EXPIRE', '.spec.expireTime', 'string'),
    ageColumn('AGE'),
  ],
  spec,
  status,
});
export type BatchSandbox = ObjectOf<typeof BatchSandbox>;
