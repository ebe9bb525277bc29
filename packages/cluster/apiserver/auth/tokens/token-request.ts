/** `serviceaccounts/<name>/token`: a token for an account, for a while, for somebody, and as long as something lives. */
import { randomUUID } from 'node:crypto';
import type { Store } from '../../../store/store.ts';
import { ApiError, badRequest, invalid, notFound } from '../../http/api-error.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { metadataOf, textOf, timestamp } from '../../verbs/stored-object.ts';
import type { Claims } from './claims.ts';
import { find } from './liveness.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

export interface TokenRequestDeps {
  readonly store: Store;
  readonly tokens: ServiceAccountTokens;
  readonly now: () => Date;
}

const KIND = { group: 'authentication.k8s.io', kind: 'TokenRequest' };
const MIN_SECONDS = 600;
const MAX_SECONDS = 2 ** 32;
const DEFAULT_SECONDS = 3600;

interface Spec {
  readonly audiences?: readonly string[] | null;
  readonly expirationSeconds?: number | null;
  readonly boundObjectRef?: { kind?: string; apiVersion?: string; name?: string; uid?: string } | null;
}

/** The TokenRequest with its status, as the API answers it. Throws an ApiError for what can't be granted. */
export async function issueToken(
  { store, tokens, now }: TokenRequestDeps,
  { namespace, name, object }: { readonly namespace: string; readonly name: string; readonly object: JsonObject },
): Promise<JsonObject> {
  const account = find(store, 'serviceaccounts', namespace, name);
  if (!account) throw notFound({ group: '', plural: 'serviceaccounts' }, name);
  const spec = (object['spec'] ?? {}) as Spec;
  refuseForeignName(object, namespace, name);
  const audiences = spec.audiences?.length ? [...spec.audiences] : [...tokens.audiences];
  const seconds = spec.expirationSeconds ?? DEFAULT_SECONDS;
  refuseDuration(seconds);
  const bound = bind(store, namespace, name, spec.boundObjectRef ?? undefined);

  const time = now();
  const issued = Math.floor(time.getTime() / 1000);
  const uid = textOf(account, 'uid');
  const token = await tokens.sign({
    namespace,
    account: { name, uid },
    ...bound,
    audiences,
    id: randomUUID(),
    issued,
    notBefore: issued,
    expires: issued + seconds,
  });
  const managedFields = metadataOf(object)['managedFields'];
  return {
    kind: 'TokenRequest',
    apiVersion: 'authentication.k8s.io/v1',
    metadata: {
      name,
      namespace,
      uid,
      creationTimestamp: timestamp(time),
      ...(managedFields === undefined ? {} : { managedFields }),
    },
    spec: { audiences, expirationSeconds: seconds, boundObjectRef: (spec.boundObjectRef as JsonObject | null) ?? null },
    status: { token, expirationTimestamp: timestamp(new Date((issued + seconds) * 1000)) },
  };
}

/** The token of a Secret of type kubernetes.io/service-account-token: it lives as long as the Secret. */
export function secretToken(
  tokens: ServiceAccountTokens,
  of: {
    readonly namespace: string;
    readonly account: { readonly name: string; readonly uid: string };
    readonly secret: string;
  },
): Promise<string> {
  return tokens.sign({ namespace: of.namespace, account: of.account, audiences: [], secretToken: of.secret });
}

function refuseForeignName(object: JsonObject, namespace: string, name: string): void {
  const given = { name: textOf(object, 'name'), namespace: textOf(object, 'namespace') };
  if (given.namespace !== '' && given.namespace !== namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  if (given.name === '' || given.name === name) return;
  const message = `Invalid value: ${JSON.stringify(given.name)}: must match the service account name if specified`;
  throw invalid(KIND, name, [{ field: 'metadata.name', reason: 'FieldValueInvalid', message }]);
}

function refuseDuration(seconds: number): void {
  const why =
    seconds < MIN_SECONDS
      ? 'may not specify a duration less than 10 minutes'
      : seconds > MAX_SECONDS
        ? 'may not specify a duration larger than 2^32 seconds'
        : undefined;
  if (why === undefined) return;
  const error: FieldError = {
    field: 'spec.expirationSeconds',
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${seconds}: ${why}`,
  };
  const { message, details } = invalid(KIND, '', [error]);
  // A nameless object has no name in its details either.
  const { name: _, ...rest } = details ?? {};
  throw new ApiError(422, 'Invalid', message, rest);
}

function bind(
  store: Store,
  namespace: string,
  account: string,
  bound: NonNullable<Spec['boundObjectRef']> | undefined,
): Pick<Claims, 'pod' | 'secret' | 'node'> {
  if (!bound) return {};
  const { kind = '', apiVersion = '', name = '', uid = '' } = bound;
  const plural = { Pod: 'pods', Secret: 'secrets', Node: 'nodes' }[kind];
  if (apiVersion !== 'v1' || plural === undefined) {
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
    throw badRequest(`cannot bind token to object of type ${group}/${version}, Kind=${kind}`);
  }
  const object = find(store, plural, kind === 'Node' ? undefined : namespace, name);
  if (!object) throw notFound({ group: '', plural }, name);
  const spec = (object['spec'] ?? {}) as JsonObject;
  if (kind === 'Pod' && spec['serviceAccountName'] !== account) {
    throw badRequest(
      `cannot bind token for serviceaccount ${JSON.stringify(account)} to pod running with different serviceaccount name.`,
    );
  }
  const actual = textOf(object, 'uid');
  if (uid !== '' && uid !== actual) {
    throw new ApiError(
      409,
      'Conflict',
      `Operation cannot be fulfilled on ${kind} "${name}": the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
      { name, kind },
    );
  }
  const reference = { name, uid: actual };
  if (kind === 'Secret') return { secret: reference };
  if (kind === 'Node') return { node: reference };
  const nodeName = spec['nodeName'];
  const node = typeof nodeName === 'string' && nodeName !== '' ? find(store, 'nodes', undefined, nodeName) : undefined;
  return node ? { pod: reference, node: { name: textOf(node, 'name'), uid: textOf(node, 'uid') } } : { pod: reference };
}
