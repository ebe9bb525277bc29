import {
  defaulted,
  duration,
  flag,
  int32,
  intOrString,
  list,
  object,
  oneOf,
  optional,
  text,
} from '../schema/fields.ts';
import { resourceRequirements, stringMap } from '../schema/kubernetes.ts';
import { imagePolicies } from './constants.ts';
import { gateway, networkPolicy, sandboxPoolSpec } from './sandbox-pool.ts';

const updateStrategy = optional(
  object({
    autoUpdate: optional(flag({ description: 'Follow the template; true when absent everywhere.' })),
    maxUnavailable: optional(intOrString({ description: '20% when absent everywhere.' })),
  }),
);

// navix 1.1
const volume = object({
  claimName: text(),
  mountPath: text({ description: 'Absolute.' }),
  subPath: optional(text()),
  readOnly: defaulted(flag(), true),
});

/** navix 1.1: what an Env changes of its template, for all members. */
export const envOverrides = object({
  image: optional(text({ description: 'Instead of the image of the first container.' })),
  podCreationImagePolicy: optional(oneOf(imagePolicies)),
  defaultStartupTimeout: optional(duration()),
  defaultIdleTimeout: optional(duration()),
  gateway,
  networkPolicy,
  updateStrategy,
  volumes: optional(list(volume, { maxItems: 8 })),
});

const config = object(
  {
    labels: optional(stringMap('Put on the pool.')),
    annotations: optional(stringMap('Put on the pool.')),
    instanceType: optional(text({ description: 'Entry of the catalogue; wins over inlineResources.' })),
    multiplier: optional(int32({ minimum: 0 })),
    inlineResources: optional(resourceRequirements('Explicit size.')),
    scalingGroup: defaulted(text({ description: 'Empty leaves the member out of autoscaling.' }), 'default'),
    minReplicas: optional(int32({ minimum: 0 })),
    maxReplicas: optional(int32({ minimum: 0 })),
    priority: optional(int32({ description: 'Lower is preferred.' })),
    scaleUpPriority: optional(int32({ description: 'Lower grows first; priority when absent.' })),
    scaleDownPriority: optional(int32({ description: 'Higher shrinks first; priority when absent.' })),
    updateStrategy,
  },
  { description: 'What the caller asked for; never changed by us.' },
);

/** navix 1.1: one pool of an Env, in three parts: what was asked, and the metadata and spec that became of it. */
export const envMember = object({
  name: text({ description: 'Name of the pool.' }),
  metadata: optional(
    object({ labels: optional(stringMap('Of the pool.')), annotations: optional(stringMap('Of the pool.')) }),
  ),
  spec: optional(sandboxPoolSpec),
  config: optional(config),
});
