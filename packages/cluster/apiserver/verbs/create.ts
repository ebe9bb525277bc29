import { alreadyExists, badRequest } from '../http/api-error.ts';
import { emptyObject } from '../patch/empty-object.ts';
import { trackUpdate } from '../patch/managed-fields.ts';
import type { JsonObject } from '../schema/structural.ts';
import { apiVersionOf, type Engine, type Target, type WriteCall } from './engine.ts';
import { refuseInvalid, settle, withNamespace, withType } from './incoming.ts';
import { objectKey } from './keys.ts';
import { generatedName, stampNew } from './metadata.ts';
import { metadataOf, objectOf, storedText, textOf } from './stored-object.ts';

/** How often a taken generated name is replaced by another. */
const GENERATE_TRIES = 8;

export interface CreateCall extends WriteCall {
  readonly duplicates?: readonly string[];
  /** Server-side apply of an object that does not exist brings its own owners. */
  readonly owners?: 'tracked' | 'given';
}

export async function create(engine: Engine, target: Target, body: JsonObject, call: CreateCall): Promise<JsonObject> {
  const { resource } = target;
  const { context } = call;
  let draft = withNamespace(withType(body, resource), target);
  if (textOf(draft, 'resourceVersion') !== '')
    throw badRequest('resourceVersion should not be set on objects to be created');
  const base = textOf(draft, 'name') === '' ? textOf(draft, 'generateName') : '';
  draft = settle(draft, resource, call, call.duplicates);
  stampNew(draft, resource, engine.now());
  resource.strategy.prepareCreate?.(draft, context);

  for (let tries = 1; ; tries++) {
    const named =
      base === '' ? draft : { ...draft, metadata: { ...metadataOf(draft), name: generatedName(base, engine.random) } };
    const object = await admitted(engine, target, named, call);
    if (resource.virtual) return resource.virtual(object, context);
    if (context.dryRun) {
      const name = textOf(object, 'name');
      if (engine.store.get(objectKey(resource, target.namespace, name))) throw alreadyExists(resource, name);
      return object;
    }
    const name = textOf(object, 'name');
    const outcome = await engine.store.txn({
      type: 'create',
      key: objectKey(resource, target.namespace, name),
      value: storedText(object),
    });
    if (outcome.ok && outcome.entry) return objectOf(outcome.entry);
    if (base === '' || tries === GENERATE_TRIES) throw alreadyExists(resource, name);
  }
}

/** Owners are found before admission: what a webhook adds belongs to nobody. */
async function admitted(engine: Engine, target: Target, draft: JsonObject, call: CreateCall): Promise<JsonObject> {
  const { resource } = target;
  const manager = { name: call.fieldManager, operation: 'Update', apiVersion: apiVersionOf(resource) } as const;
  const owned =
    call.owners === 'given'
      ? draft
      : trackUpdate({
          live: resource.builtin
            ? emptyObject(resource.schema)
            : { apiVersion: apiVersionOf(resource), kind: resource.kind },
          updated: draft,
          schema: resource.schema,
          manager,
          now: engine.now(),
          resetFields: resource.subresources.some(({ name }) => name === 'status') ? [['status']] : [],
        });
  const request = {
    operation: 'CREATE',
    resource,
    namespace: target.namespace,
    name: textOf(owned, 'name'),
    object: owned,
    oldObject: undefined,
    options: call.options,
    context: call.context,
  } as const;
  const mutated = (await engine.admission.mutate(request)) ?? owned;
  const object = mutated === owned ? owned : settle(mutated, resource, { ...call, fieldValidation: 'Ignore' });
  refuseInvalid(object, undefined, resource);
  await engine.admission.validate({ ...request, object });
  for (const warning of resource.strategy.warnings?.(object) ?? []) call.context.warn(warning);
  return object;
}
