/** Puts the bootstrap policy into the store at every start, and mends what was taken out of it. */
import { randomUUID } from 'node:crypto';
import type { Entry, Store } from '../../../store/store.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataOf, objectOf, storedText, textOf, timestamp } from '../../verbs/stored-object.ts';
import { reconcileAggregation } from './aggregation.ts';
import { bootstrapObjects } from './bootstrap-policy.ts';
import { uncovered } from './coverage.ts';
import { POLICY_PREFIX } from './policy-index.ts';
import { ruleObject, rulesOf } from './rules.ts';

const AUTOUPDATE = 'rbac.authorization.kubernetes.io/autoupdate';

/**
 * Creates what is missing; adds rules and subjects that are missing to what is there. What somebody added stays, and an
 * object whose annotation says so is left alone. How many objects were written.
 */
export async function reconcileBootstrap(store: Store, now: Date): Promise<number> {
  const writes = bootstrapObjects().map(async (wanted) => {
    const plural = wanted['kind'] === 'ClusterRole' ? 'clusterroles' : 'clusterrolebindings';
    const key = `${POLICY_PREFIX}${plural}/${textOf(wanted, 'name')}`;
    const entry = store.get(key);
    if (!entry) {
      const { ok } = await store.txn({ type: 'create', key, value: storedText(stamped(wanted, now)) });
      return ok;
    }
    const mended = mend(entry, wanted);
    if (!mended) return false;
    return (await store.txn({ type: 'put', key, value: storedText(mended), ifRevision: entry.revision })).ok;
  });
  const written = (await Promise.all(writes)).filter(Boolean).length;
  return written + (await reconcileAggregation(store));
}

const stamped = (object: JsonObject, now: Date): JsonObject => ({
  ...object,
  metadata: { ...metadataOf(object), uid: randomUUID(), creationTimestamp: timestamp(now) },
});

function mend(entry: Entry, wanted: JsonObject): JsonObject | undefined {
  const object = objectOf(entry);
  const annotations = (metadataOf(object)['annotations'] ?? {}) as JsonObject;
  if (annotations[AUTOUPDATE] === 'false') return undefined;
  if (wanted['kind'] === 'ClusterRole') {
    if (wanted['aggregationRule'] !== undefined) {
      return object['aggregationRule'] === undefined
        ? { ...object, aggregationRule: wanted['aggregationRule'] }
        : undefined;
    }
    const missing = uncovered(rulesOf(object), rulesOf(wanted));
    const rules = rulesOf(object).map(ruleObject);
    return missing.length === 0 ? undefined : { ...object, rules: [...rules, ...missing.map(ruleObject)] };
  }
  const subjects = (Array.isArray(object['subjects']) ? object['subjects'] : []) as JsonObject[];
  const same = (a: JsonObject, b: JsonObject) =>
    ['kind', 'name', 'namespace'].every((field) => (a[field] ?? '') === (b[field] ?? ''));
  const missing = (wanted['subjects'] as JsonObject[]).filter((one) => !subjects.some((other) => same(one, other)));
  return missing.length === 0 ? undefined : { ...object, subjects: [...subjects, ...missing] };
}
