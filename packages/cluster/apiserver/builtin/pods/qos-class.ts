import { compareQuantities } from '@sandbank/kube';
import type { JsonObject } from '../../schema/structural.ts';
import { objectAt, objectsAt, specAt } from '../fields.ts';

const COUNTED = ['cpu', 'memory'] as const;

/** How dear a pod is to its node when memory runs out. Only cpu and memory count; all containers must agree for Guaranteed. */
export function qosClass(pod: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const spec = specAt(pod);
  const ofPod = objectAt(spec, 'resources');
  const parts = Object.keys(ofPod).length > 0 ? [ofPod] : allContainers(spec).map((one) => objectAt(one, 'resources'));
  const amount = (resources: JsonObject, side: 'requests' | 'limits', name: string) => {
    const value = objectAt(resources, side)[name];
    return typeof value === 'string' && compareQuantities(value, '0') > 0 ? value : undefined;
  };
  const asksAnything = parts.some((one) =>
    COUNTED.some((name) => amount(one, 'requests', name) !== undefined || amount(one, 'limits', name) !== undefined),
  );
  if (!asksAnything) return 'BestEffort';
  const isFixed = parts.every((one) =>
    COUNTED.every((name) => {
      const limit = amount(one, 'limits', name);
      const request = amount(one, 'requests', name) ?? limit;
      return limit !== undefined && request !== undefined && compareQuantities(limit, request) === 0;
    }),
  );
  return isFixed ? 'Guaranteed' : 'Burstable';
}

const allContainers = (spec: JsonObject) => ['initContainers', 'containers'].flatMap((kind) => objectsAt(spec, kind));
