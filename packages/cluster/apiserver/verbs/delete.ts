import { badRequest, conflict, objectModified } from '../http/api-error.ts';
import type { Strategy } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import type { Engine, Target, WriteCall } from './engine.ts';
import { objectKey } from './keys.ts';
import { metadataOf, objectOf, storedText, stringsOf, textOf, timestamp } from './stored-object.ts';
import { currentEntry } from './update.ts';

export interface DeleteCall extends WriteCall {
  readonly gracePeriodSeconds: number | undefined;
  readonly propagation: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

/** `gone`: removed from the store. Otherwise it waits, for its grace period or for its finalizers. */
export interface Deleted {
  readonly object: JsonObject;
  readonly gone: boolean;
}

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';
const RETRIES = 5;

export async function remove(engine: Engine, target: Target, call: DeleteCall): Promise<Deleted> {
  const { resource, name, namespace } = target;
  if (call.gracePeriodSeconds !== undefined && call.gracePeriodSeconds < 0)
    throw badRequest('gracePeriodSeconds must be zero or greater');
  for (let tries = 1; ; tries++) {
    const entry = currentEntry(engine, target);
    const object = objectOf(entry);
    checkPreconditions(object, target, call);
    const request = {
      operation: 'DELETE',
      resource,
      namespace,
      name,
      object: undefined,
      oldObject: object,
      options: call.options,
      context: call.context,
    } as const;
    await engine.admission.mutate(request);
    await engine.admission.validate(request);

    const next = afterDelete(object, resource.strategy, call, engine.now());
    if (next.kind === 'unchanged') return { object, gone: false };
    if (call.context.dryRun)
      return next.kind === 'remove' ? { object, gone: true } : { object: next.object, gone: false };
    const key = objectKey(resource, namespace, name);
    const outcome = await engine.store.txn(
      next.kind === 'remove'
        ? { type: 'delete', key, ifRevision: entry.revision }
        : { type: 'put', key, value: storedText(next.object), ifRevision: entry.revision },
    );
    if (outcome.ok)
      return next.kind === 'remove'
        ? { object, gone: true }
        : { object: outcome.entry ? objectOf(outcome.entry) : next.object, gone: false };
    if (tries === RETRIES) throw objectModified(resource, name);
  }
}

function checkPreconditions(object: JsonObject, { resource, name }: Target, call: DeleteCall): void {
  const checks = [
    ['UID', call.uid, textOf(object, 'uid')],
    ['ResourceVersion', call.resourceVersion, textOf(object, 'resourceVersion')],
  ] as const;
  for (const [what, wanted, found] of checks) {
    if (wanted !== undefined && wanted !== found) {
      throw conflict(
        resource,
        name,
        `Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
      );
    }
  }
}

type Next = { kind: 'remove' } | { kind: 'unchanged' } | { kind: 'mark'; object: JsonObject };

/** What a delete makes of an object: gone, or marked, or (it is on its way already) nothing new. */
export function afterDelete(
  object: JsonObject,
  strategy: Strategy,
  call: Pick<DeleteCall, 'gracePeriodSeconds' | 'propagation'>,
  now: Date,
): Next {
  const finalizers = wantedFinalizers(stringsOf(object, 'finalizers'), call.propagation);
  const defaultGrace = strategy.defaultGracePeriodSeconds?.(object) ?? 0;
  const grace = defaultGrace === 0 ? 0 : (call.gracePeriodSeconds ?? defaultGrace);
  if (finalizers.length === 0 && grace === 0 && !strategy.isHeld?.(object)) return { kind: 'remove' };

  const before = metadataOf(object);
  const oldGrace = before['deletionGracePeriodSeconds'];
  const isDeleting = textOf(object, 'deletionTimestamp') !== '';
  // A second delete may shorten the wait, never lengthen it.
  const shortens = isDeleting && typeof oldGrace === 'number' && grace < oldGrace;
  const sameFinalizers = finalizers.join('\n') === stringsOf(object, 'finalizers').join('\n');
  if (isDeleting && !shortens && sameFinalizers) return { kind: 'unchanged' };
  const metadata: JsonObject = { ...before, finalizers };
  if (finalizers.length === 0) delete metadata['finalizers'];
  if (!isDeleting || shortens) {
    metadata['deletionTimestamp'] = timestamp(new Date(now.getTime() + grace * 1000));
    metadata['deletionGracePeriodSeconds'] = grace;
    if (typeof before['generation'] === 'number' && !isDeleting) metadata['generation'] = before['generation'] + 1;
  }
  const marked = { ...object, metadata };
  return { kind: 'mark', object: strategy.markDeleted?.(marked) ?? marked };
}

function wantedFinalizers(finalizers: readonly string[], propagation: DeleteCall['propagation']): string[] {
  const others = finalizers.filter((finalizer) => finalizer !== FOREGROUND && finalizer !== ORPHAN);
  if (propagation === 'Foreground') return [...others, FOREGROUND];
  if (propagation === 'Orphan') return [...others, ORPHAN];
  return propagation === 'Background' ? others : [...finalizers];
}
