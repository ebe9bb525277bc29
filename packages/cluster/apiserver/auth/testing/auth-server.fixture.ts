import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { openMemoryStore } from '../../../store/open.ts';
import type { Store } from '../../../store/store.ts';
import type { RequestContext } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { objectKey } from '../../verbs/keys.ts';
import { metadataOf } from '../../verbs/stored-object.ts';
import { type Authenticator, createAuthenticator } from '../authenticate.ts';
import { newPrivateKey } from '../pki/certificates.ts';
import { reconcileBootstrap } from '../rbac/bootstrap.ts';
import { Rbac } from '../rbac/rbac.ts';
import { reviewVirtuals } from '../reviews/reviews.ts';
import { ServiceAccountTokens } from '../tokens/service-account-tokens.ts';
import type { TokenRecord } from '../tokens/static-tokens.ts';

export interface AuthParts {
  readonly store: Store;
  readonly tokens: ServiceAccountTokens;
  readonly authenticator: Authenticator;
  readonly rbac: Rbac;
  readonly virtuals: ReturnType<typeof reviewVirtuals>;
  readonly clock: { now: number };
  close(): Promise<void>;
}

/** Everything of auth over a store in memory, with a clock that the test moves. */
export async function authParts(records: readonly TokenRecord[] = []): Promise<AuthParts> {
  const store = await openMemoryStore();
  const clock = { now: Date.now() };
  const tokens = new ServiceAccountTokens({ store, key: await newPrivateKey(), now: () => clock.now });
  const authenticator = createAuthenticator({ serviceAccounts: tokens, tokens: records });
  await reconcileBootstrap(store, new Date(clock.now));
  const rbac = new Rbac(store);
  rbac.start((error) => {
    throw error;
  });
  const close = async () => {
    await rbac.close();
    await store.close();
  };
  return { store, tokens, authenticator, rbac, virtuals: reviewVirtuals({ rbac, authenticator }), clock, close };
}

export async function authPartsOfTest(records: readonly TokenRecord[] = []): Promise<AuthParts> {
  const parts = await authParts(records);
  onTestFinished(() => parts.close());
  return parts;
}

/** Puts an object of the core group into the store, as it is or with a UID of its own. */
export async function put(store: Store, plural: string, object: JsonObject): Promise<JsonObject> {
  const metadata = metadataOf(object);
  const whole = { ...object, metadata: { uid: randomUUID(), ...metadata } };
  await store.txn({ type: 'put', key: keyOf(plural, metadata), value: JSON.stringify(whole) });
  return whole;
}

export const remove = (store: Store, plural: string, metadata: JsonObject) =>
  store.txn({ type: 'delete', key: keyOf(plural, metadata) });

function keyOf(plural: string, { namespace, name }: JsonObject): string {
  const place = { group: '', plural, namespaced: namespace !== undefined };
  return objectKey(place, namespace === undefined ? undefined : String(namespace), String(name));
}

export function contextOf(name: string, groups: readonly string[], now: number): RequestContext {
  return { user: { name, groups }, now: new Date(now), dryRun: false, warn: () => undefined };
}
