import type { ObjectMeta } from '@sandbank/kube';
import type { PersistentVolumeClaimSpec, PodSpec } from '@sandbank/kube/kinds';
import { atomicList, freeForm, int64, listMap, map, object, oneOf, optional, quantity, text, time } from './fields.ts';

/** Shapes of Kubernetes itself that several kinds embed. */

/** A PodTemplateSpec of which the API server has checked nothing: every field may be missing until a pod is made of it. */
export interface PodTemplate {
  metadata?: ObjectMeta;
  spec?: Partial<PodSpec>;
}

/** A PersistentVolumeClaim without a place; unchecked like a PodTemplate. */
export interface ClaimTemplate {
  metadata?: ObjectMeta;
  spec?: PersistentVolumeClaimSpec;
}

export const podTemplate = (description: string) => freeForm<PodTemplate>({ description });

/** metav1.Condition. */
export const condition = object({
  type: text({
    maxLength: 316,
    pattern:
      '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$',
    examples: ['Ready', 'Progressing'],
  }),
  status: oneOf(['True', 'False', 'Unknown']),
  reason: text({
    minLength: 1,
    maxLength: 1024,
    pattern: '^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$',
    examples: ['PodReady'],
  }),
  message: text({ maxLength: 32768 }),
  lastTransitionTime: time(),
  observedGeneration: optional(int64({ minimum: 0 })),
});

export const conditions = (options: { maxItems?: number } = {}) =>
  listMap(condition, 'type', { description: 'What is true of the object now, one entry per type.', ...options });

export const labelSelector = (description: string) => {
  const requirement = object({
    key: text(),
    operator: text({ description: 'In, NotIn, Exists or DoesNotExist.', examples: ['In'] }),
    values: optional(atomicList(text())),
  });
  const selector = object(
    {
      matchLabels: optional(map(text())),
      matchExpressions: optional(atomicList(requirement)),
    },
    { description },
  );
  return Object.assign(selector, { 'x-kubernetes-map-type': 'atomic' });
};

export const stringMap = (description: string) => map(text(), { description });

/** corev1.ResourceRequirements. */
export const resourceRequirements = (description: string) =>
  object(
    {
      requests: optional(map(quantity())),
      limits: optional(map(quantity())),
      claims: optional(listMap(object({ name: text(), request: optional(text()) }), 'name')),
    },
    { description },
  );
