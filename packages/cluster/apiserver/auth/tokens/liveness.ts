import { timingSafeEqual } from 'node:crypto';
import type { Store } from '../../../store/store.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { objectKey } from '../../verbs/keys.ts';
import { objectOf, textOf } from '../../verbs/stored-object.ts';
import type { Claims, Reference } from './claims.ts';

const INVALIDATED = 'service account token has been invalidated';
/** A pod that is being deleted may say goodbye. */
const LEEWAY_MS = 60_000;

/** Why a token is no good any more although its signature is: its account or what it is bound to is gone or another. */
export function invalidation(store: Store, claims: Claims, token: string, now: number): string | undefined {
  const { namespace, account } = claims;
  const current = find(store, 'serviceaccounts', namespace, account.name);
  if (!current) return `serviceaccounts ${JSON.stringify(account.name)} not found`;
  const uid = textOf(current, 'uid');
  if (uid !== account.uid) return `service account UID (${uid}) does not match claim (${account.uid})`;
  if (isDeleted(current, now)) return `service account ${namespace}/${account.name} has been deleted`;
  if (claims.secretToken !== undefined) {
    return secretHolds(store, namespace, claims.secretToken, token, now) ? undefined : INVALIDATED;
  }
  if (claims.pod) return lives(store, 'pods', namespace, claims.pod, now) ? undefined : INVALIDATED;
  if (claims.secret) return lives(store, 'secrets', namespace, claims.secret, now) ? undefined : INVALIDATED;
  if (claims.node) return lives(store, 'nodes', undefined, claims.node, now) ? undefined : INVALIDATED;
  return undefined;
}

export function find(
  store: Store,
  plural: string,
  namespace: string | undefined,
  name: string,
): JsonObject | undefined {
  const entry = store.get(objectKey({ group: '', plural, namespaced: namespace !== undefined }, namespace, name));
  return entry && objectOf(entry);
}

function lives(store: Store, plural: string, namespace: string | undefined, bound: Reference, now: number): boolean {
  const object = find(store, plural, namespace, bound.name);
  return object !== undefined && textOf(object, 'uid') === bound.uid && !isDeleted(object, now);
}

function isDeleted(object: JsonObject, now: number): boolean {
  const deleted = Date.parse(textOf(object, 'deletionTimestamp'));
  return !Number.isNaN(deleted) && deleted + LEEWAY_MS < now;
}

function secretHolds(store: Store, namespace: string, name: string, token: string, now: number): boolean {
  const secret = find(store, 'secrets', namespace, name);
  const kept = (secret?.['data'] as JsonObject | undefined)?.['token'];
  if (!secret || typeof kept !== 'string' || isDeleted(secret, now)) return false;
  const [held, shown] = [Buffer.from(kept, 'base64'), Buffer.from(token)];
  return held.length === shown.length && timingSafeEqual(held, shown);
}
