import type { Client, New, WriteOptions } from '../client/contract.ts';
import { semanticEqual } from '../equality.ts';
import { isAlreadyExists, isConflict, isNotFound, KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { type Frozen, type KubeObject, keyText, type ObjectKey } from '../object.ts';
import type { ConflictRetry } from './retry-on-conflict.ts';

export interface Written<T> {
  readonly outcome: 'created' | 'updated' | 'unchanged';
  readonly object: T;
}

/**
 * Makes the object be what `mutate` says: it gets the current object, or undefined when there is none, and returns
 * what should be. Nothing is written when that means the same. Another writer in between is no failure: `mutate` is
 * asked again with what is there now, so it must not have effects of its own.
 */
export async function mutateOrCreate<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  key: ObjectKey,
  mutate: (current: Frozen<T> | undefined) => New<T>,
  { attempts = 5, ...options }: WriteOptions & Pick<ConflictRetry, 'attempts'> = {},
): Promise<Written<T>> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await read(client, kind, key, options);
    try {
      return current === undefined
        ? { outcome: 'created', object: await client.create(kind, named(mutate(undefined), key), options) }
        : await change(client, kind, current, mutate, options);
    } catch (error) {
      const raced = isConflict(error) || (current === undefined ? isAlreadyExists(error) : isNotFound(error));
      if (!raced || attempt >= attempts) throw error;
    }
  }
}

async function read<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  key: ObjectKey,
  { signal, timeoutMs }: WriteOptions,
): Promise<T | undefined> {
  try {
    return await client.get(kind, key, { signal, timeoutMs });
  } catch (error) {
    // A kind that the server does not know is no missing object: creating it would fail with less to say.
    if (error instanceof KubeError && error.code === 'not-found') return undefined;
    throw error;
  }
}

async function change<T extends KubeObject>(
  client: Client,
  kind: Kind<T>,
  current: T,
  mutate: (current: Frozen<T>) => New<T>,
  options: WriteOptions,
): Promise<Written<T>> {
  const wanted = mutate(current as Frozen<T>);
  const { uid, resourceVersion } = current.metadata ?? {};
  const guarded: New<T> = {
    ...wanted,
    metadata: { ...wanted.metadata, ...(uid && { uid }), ...(resourceVersion && { resourceVersion }) },
  };
  if (semanticEqual(withoutType(current), withoutType(guarded))) return { outcome: 'unchanged', object: current };
  return { outcome: 'updated', object: await client.update(kind, guarded, options) };
}

/** apiVersion and kind are the client's to fill in; their absence on one side is no difference. */
function withoutType({ apiVersion: _, kind: __, ...rest }: KubeObject): object {
  return rest;
}

function named<T extends KubeObject>(object: New<T>, key: ObjectKey): New<T> {
  const { name = key.name, namespace = key.namespace } = object.metadata;
  if (name !== key.name || namespace !== key.namespace) {
    throw new KubeError('invalid', `the object to create is not ${keyText(key)} but ${keyText({ name, namespace })}`);
  }
  return { ...object, metadata: { ...object.metadata, name, ...(namespace && { namespace }) } };
}
