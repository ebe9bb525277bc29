import { defaulted, flag, int32, listMap, object, oneOf, optional, text } from '../schema/fields.ts';
import { scaleUpModes } from './constants.ts';

const seconds = (value: number, description: string) => defaulted(int32({ minimum: 0, description }), value);

// navix 1.1
const scaleUpPolicy = object({
  mode: defaulted(oneOf(scaleUpModes), 'Default'),
  cooldownSeconds: seconds(30, 'Between two scale-ups.'),
  idleThresholdSeconds: seconds(30, 'Without an idle pod until one is made unasked; 0 never does.'),
  idleZeroQuietWindowSeconds: seconds(300, 'Without a request until none is made unasked any more; 0 is no limit.'),
  saturationCooldownSeconds: seconds(60, 'A member that could not grow is left alone.'),
});

const scaleDownPolicy = object({
  idleTimeoutSeconds: seconds(300, 'A pod is idle before it may go.'),
  stabilizationSeconds: seconds(60, 'Between two scale-downs.'),
  protectionWindowSeconds: seconds(10, 'Between the mark on a pod and its end.'),
});

/** What an empty policy reads as is said once, on its fields; the empty object asks for it. */
const filled = {} as never;

const autoscalingGroup = object(
  {
    name: text({ description: 'The scalingGroup of its members.' }),
    enabled: defaulted(flag(), false),
    minReplicas: defaulted(int32({ minimum: 0, description: 'Of all members together.' }), 0),
    maxReplicas: optional(int32({ minimum: 0, description: 'Of all members together; no limit when absent.' })),
    scaleUpPolicy: defaulted(scaleUpPolicy, filled),
    scaleDownPolicy: defaulted(scaleDownPolicy, filled),
  },
  {
    rules: [
      {
        rule: "self.scaleUpPolicy.mode != 'Aggressive' || has(self.maxReplicas)",
        message: 'mode Aggressive needs maxReplicas, or nothing would stop it',
      },
    ],
  },
);

/** navix 1.1: one policy per scaling group. */
export const envAutoscaling = object({ groups: optional(listMap(autoscalingGroup, 'name')) });
