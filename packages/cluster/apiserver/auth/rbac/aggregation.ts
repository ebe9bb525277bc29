/** ClusterRoles that are made of others: their rules are those of all that their selectors name. */
import { isDeepStrictEqual } from 'node:util';
import { type LabelSelectorObject, labelSelector } from '@sandbank/kube';
import { isStoreError } from '../../../store/errors.ts';
import type { Entry, Store } from '../../../store/store.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { objectOf, storedText, textOf } from '../../verbs/stored-object.ts';
import { withoutDuplicates } from './coverage.ts';
import { labelsOf, POLICY_PREFIX } from './policy-index.ts';
import { ruleObject, rulesOf } from './rules.ts';

const CLUSTER_ROLES = `${POLICY_PREFIX}clusterroles/`;
/** `admin` is made of `edit`, which is made of `view`; nobody nests deeper than a few. */
const MAX_ROUNDS = 16;

/** The rules that an aggregated role should have now, among all roles in order of name; undefined for other roles. */
export function aggregatedRules(role: JsonObject, all: readonly JsonObject[]): JsonObject[] | undefined {
  const aggregation = role['aggregationRule'] as { clusterRoleSelectors?: LabelSelectorObject[] } | undefined | null;
  if (!aggregation) return undefined;
  const own = textOf(role, 'name');
  const chosen = new Map<string, JsonObject>();
  for (const selector of aggregation.clusterRoleSelectors ?? []) {
    const { matches } = labelSelector(selector);
    for (const other of all) {
      const name = textOf(other, 'name');
      if (name !== own && matches(labelsOf(other))) chosen.set(name, other);
    }
  }
  return withoutDuplicates([...chosen.values()].flatMap(rulesOf)).map(ruleObject);
}

/** Brings all aggregated roles up to date; writes only what differs. How many were written. */
export async function reconcileAggregation(store: Store): Promise<number> {
  let written = 0;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const { entries } = store.list(CLUSTER_ROLES);
    const all = entries.map(objectOf);
    const stale = entries.flatMap((entry): { entry: Entry; rules: JsonObject[] }[] => {
      const rules = aggregatedRules(objectOf(entry), all);
      const now = rulesOf(objectOf(entry)).map(ruleObject);
      return rules && !isDeepStrictEqual(rules, now) ? [{ entry, rules }] : [];
    });
    if (stale.length === 0) return written;
    const outcomes = await Promise.all(
      stale.map(({ entry, rules }) =>
        store.txn({
          type: 'put',
          key: entry.key,
          value: storedText({ ...objectOf(entry), rules }),
          ifRevision: entry.revision,
        }),
      ),
    );
    written += outcomes.filter(({ ok }) => ok).length;
  }
  return written;
}

/** Keeps aggregated roles current until the signal or the end of the store. */
export async function followAggregation(
  store: Store,
  { signal, onError }: { readonly signal: AbortSignal; readonly onError: (error: unknown) => void },
): Promise<void> {
  while (!signal.aborted) {
    try {
      const watch = store.watch(CLUSTER_ROLES, { after: store.revision, signal });
      await reconcileAggregation(store);
      for await (const _ of watch) await reconcileAggregation(store);
    } catch (error) {
      if (isStoreError(error, 'closed')) return;
      // Compacted: the next round begins from the present. Anything else will not mend itself.
      if (isStoreError(error, 'compacted')) continue;
      onError(error);
      return;
    }
  }
}
