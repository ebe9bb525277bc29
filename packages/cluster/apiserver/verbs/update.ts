import { isDeepStrictEqual } from 'node:util';
import type { Entry } from '../../store/store.ts';
import { badRequest, conflict, notFound, objectModified } from '../http/api-error.ts';
import { trackUpdate } from '../patch/managed-fields.ts';
import type { JsonObject } from '../schema/structural.ts';
import { apiVersionOf, type Engine, type Target, type WriteCall } from './engine.ts';
import { refuseInvalid, settle, withNamespace, withType } from './incoming.ts';
import { objectKey } from './keys.ts';
import { bumpGeneration, stampChanged } from './metadata.ts';
import { metadataOf, objectOf, storedText, stringsOf, textOf } from './stored-object.ts';

export interface UpdateCall extends WriteCall {
  readonly duplicates?: readonly string[];
  /** An apply has found its owners already. */
  readonly owners?: 'tracked' | 'given';
}

/** How often a change is made anew on a fresh read when somebody else was faster and the caller named no version. */
const RETRIES = 5;

export function currentEntry(engine: Engine, { resource, namespace, name }: Target): Entry {
  const entry = engine.store.get(objectKey(resource, namespace, name));
  if (!entry) throw notFound(resource, name);
  return entry;
}

/**
 * Changes an object by a function of its present state. The write is guarded by the revision that was read; when the function
 * named a resourceVersion itself, a lost race is the caller's conflict, otherwise the change is made again on the newer state.
 */
export async function change(
  engine: Engine,
  target: Target,
  call: UpdateCall,
  make: (old: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<JsonObject> {
  const { resource, name } = target;
  for (let tries = 1; ; tries++) {
    const entry = currentEntry(engine, target);
    const old = objectOf(entry);
    const wanted = await make(old);
    const version = textOf(wanted, 'resourceVersion');
    if (version !== '' && version !== String(entry.revision)) throw objectModified(resource, name);
    const object = await admittedChange(engine, target, wanted, old, call);
    if (isUnchanged(object, old)) return old;
    if (call.context.dryRun) return object;
    const outcome = await store(engine, target, object, entry);
    if (outcome) return outcome;
    // A version that the caller named fails the check above next time; one that came with the read state follows it.
    if (tries === RETRIES) throw objectModified(resource, name);
  }
}

async function store(
  engine: Engine,
  target: Target,
  object: JsonObject,
  entry: Entry,
): Promise<JsonObject | undefined> {
  const key = objectKey(target.resource, target.namespace, target.name);
  // The last finalizer of an object that is being deleted is gone: so is the object.
  const finished =
    textOf(object, 'deletionTimestamp') !== '' &&
    stringsOf(object, 'finalizers').length === 0 &&
    !waitsForGrace(object) &&
    !target.resource.strategy.isHeld?.(object);
  if (finished) {
    const outcome = await engine.store.txn({ type: 'delete', key, ifRevision: entry.revision });
    return outcome.ok ? object : undefined;
  }
  const outcome = await engine.store.txn({ type: 'put', key, value: storedText(object), ifRevision: entry.revision });
  return outcome.ok && outcome.entry ? objectOf(outcome.entry) : undefined;
}

function waitsForGrace(object: JsonObject): boolean {
  const grace = metadataOf(object)['deletionGracePeriodSeconds'];
  return typeof grace === 'number' && grace > 0;
}

/** A write that changes nothing is none: no revision, no event. Times of owners alone are no change. */
function isUnchanged(object: JsonObject, old: JsonObject): boolean {
  const strip = (value: JsonObject): JsonObject => {
    const { resourceVersion: _, managedFields, ...metadata } = metadataOf(value);
    const owners = Array.isArray(managedFields)
      ? managedFields.map((entry) => ({ ...(entry as JsonObject), time: null }))
      : [];
    return { ...value, metadata: { ...metadata, managedFields: owners } };
  };
  return isDeepStrictEqual(strip(object), strip(old));
}

async function admittedChange(
  engine: Engine,
  target: Target,
  wanted: JsonObject,
  old: JsonObject,
  call: UpdateCall,
): Promise<JsonObject> {
  const { resource, subresource, name } = target;
  let draft = withNamespace(withType(wanted, resource), target);
  const given = textOf(draft, 'name');
  if (given !== '' && given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const uid = textOf(draft, 'uid');
  if (uid !== '' && uid !== textOf(old, 'uid')) {
    throw conflict(
      resource,
      name,
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textOf(old, 'uid')}`,
    );
  }
  const owners = metadataOf(draft)['managedFields'];
  draft = settle(draft, resource, call, call.duplicates);
  draft['metadata'] = { ...metadataOf(draft), name };
  stampChanged(draft, old);
  keepOtherSide(draft, old, target);
  resource.strategy.prepareUpdate?.(draft, old, call.context);
  const hasStatus = resource.subresources.some((candidate) => candidate.name === 'status');
  const tracked =
    call.owners === 'given'
      ? draft
      : trackUpdate({
          live: old,
          updated: {
            ...draft,
            metadata: { ...metadataOf(draft), ...(owners === undefined ? {} : { managedFields: owners }) },
          },
          schema: resource.schema,
          manager: { name: call.fieldManager, operation: 'Update', apiVersion: apiVersionOf(resource), subresource },
          now: engine.now(),
          resetFields: hasStatus && subresource === undefined ? [['status']] : [],
        });
  const request = {
    operation: 'UPDATE',
    resource,
    subresource,
    namespace: target.namespace,
    name,
    object: tracked,
    oldObject: old,
    options: call.options,
    context: call.context,
  } as const;
  const mutated = (await engine.admission.mutate(request)) ?? tracked;
  const object = mutated === tracked ? tracked : settle(mutated, resource, { ...call, fieldValidation: 'Ignore' });
  if (mutated !== tracked) keepOtherSide(object, old, target);
  if (resource.hasGeneration) bumpGeneration(object, old);
  refuseInvalid(object, old, resource);
  await engine.admission.validate({ ...request, object });
  for (const warning of resource.strategy.warnings?.(object) ?? []) call.context.warn(warning);
  return object;
}

/** The main endpoint never changes status; `status` changes nothing else. */
function keepOtherSide(draft: JsonObject, old: JsonObject, { resource, subresource }: Target): void {
  if (!resource.subresources.some(({ name }) => name === 'status')) return;
  if (subresource === undefined) {
    if (old['status'] === undefined) delete draft['status'];
    else draft['status'] = old['status'];
    return;
  }
  if (subresource !== 'status') return;
  for (const field of new Set([...Object.keys(draft), ...Object.keys(old)])) {
    if (field === 'status' || (field === 'metadata' && resource.builtin)) continue;
    if (field === 'metadata')
      draft['metadata'] = { ...metadataOf(old), managedFields: metadataOf(draft)['managedFields'] ?? [] };
    else if (old[field] === undefined) delete draft[field];
    else draft[field] = old[field];
  }
}

export function update(engine: Engine, target: Target, body: JsonObject, call: UpdateCall): Promise<JsonObject> {
  return change(engine, target, call, () => body);
}
