import {
  atomicList,
  defaulted,
  freeForm,
  int32,
  known,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../schema/fields.ts';
import { type ClaimTemplate, podTemplate } from '../schema/kubernetes.ts';
import { hibernateStrategies, pauseStrategies, persistentContents, runtimeNames } from './constants.ts';

/** Fields that Sandbox, SandboxSet and SandboxTemplate share: what a sandbox is made of. */

// kruise 1.1
export const pauseStrategy = optional(
  object(
    {
      type: optional(oneOf(pauseStrategies)),
      hibernateStrategy: optional(object({ type: optional(known(hibernateStrategies)) })),
    },
    { description: 'How a pause frees resources. Only Stop is carried out.' },
  ),
);

export const contents = optional(
  atomicList(known(persistentContents), { description: 'What is to survive a pause or a clone.' }),
);

export const runtimes = optional(
  atomicList(object({ name: known(runtimeNames) }), { description: 'Sidecars to inject, by their names.' }),
);

export const templateRef = optional(
  object(
    { name: text(), kind: optional(text()), apiVersion: optional(text()) },
    { description: 'A SandboxTemplate of the same namespace, instead of an inline template.' },
  ),
);

export const template = optional(podTemplate('The pod of a sandbox, inline.'));

export const volumeClaimTemplates = optional(
  list(freeForm<ClaimTemplate>(), { description: 'One PersistentVolumeClaim per entry and sandbox.' }),
);

const hook = (description: string) =>
  optional(
    object(
      {
        exec: optional(object({ command: optional(atomicList(text())) })),
        timeoutSeconds: defaulted(int32(), 60),
      },
      { description },
    ),
  );

export const lifecycle = optional(
  object({
    preUpgrade: hook('Runs inside the sandbox before its pod is replaced.'),
    postUpgrade: hook('Runs inside the sandbox after its pod was replaced.'),
  }),
);
