import { ApiError, badRequest, notFound, unsupportedMediaType } from '../http/api-error.ts';
import { PatchError } from '../patch/errors.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { applyConfiguration, type Conflict, conflictMessage } from '../patch/managed-fields.ts';
import { isObject, mergePatch } from '../patch/merge-patch.ts';
import { strategicMerge } from '../patch/strategic-merge.ts';
import { DuplicateElement } from '../patch/typed-value.ts';
import type { Resource } from '../registry/resource.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { create } from './create.ts';
import { apiVersionOf, type Engine, type Target, type WriteCall } from './engine.ts';
import { settle, withNamespace, withType } from './incoming.ts';
import { objectKey } from './keys.ts';
import { metadataOf, textOf } from './stored-object.ts';
import { change } from './update.ts';

export type PatchType = 'json' | 'merge' | 'strategic' | 'apply';

const TYPES: Readonly<Record<string, PatchType>> = {
  'application/json-patch+json': 'json',
  'application/merge-patch+json': 'merge',
  'application/strategic-merge-patch+json': 'strategic',
  'application/apply-patch+yaml': 'apply',
};

export function patchType(contentType: string, resource: Resource): PatchType {
  const accepted = Object.keys(TYPES).filter((type) => resource.builtin || TYPES[type] !== 'strategic');
  const type = contentType.split(';')[0]?.trim() ?? '';
  const found = accepted.includes(type) ? TYPES[type] : undefined;
  if (!found) throw unsupportedMediaType(type, accepted);
  return found;
}

export interface Patched {
  readonly object: JsonObject;
  /** An apply made an object that was not there. */
  readonly created: boolean;
}

export interface PatchCall extends WriteCall {
  readonly force: boolean;
}

export async function patch(
  engine: Engine,
  target: Target,
  type: PatchType,
  body: Json,
  call: PatchCall,
): Promise<Patched> {
  if (type === 'apply') return apply(engine, target, body, call);
  const { resource } = target;
  const object = await change(engine, target, call, (old) => {
    const result = refusing(() => {
      if (type === 'json') return jsonPatch(old, body);
      if (!isObject(body)) throw new PatchError('invalid', 'the patch must be an object');
      return type === 'merge' ? mergePatch(old, body) : strategicMerge(old, body, resource.schema);
    });
    if (!isObject(result)) throw badRequest('the patch did not give an object');
    return result;
  });
  return { object, created: false };
}

/** A patch that does not fit is the caller's mistake: 400 when it is malformed, 422 when it does not fit the object. */
function refusing<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof PatchError) {
      throw error.code === 'invalid' ? badRequest(error.message) : new ApiError(422, 'Invalid', error.message, {});
    }
    if (error instanceof DuplicateElement)
      throw new ApiError(500, 'InternalError', `failed to create manager for existing fields: ${error.message}`);
    throw error;
  }
}

async function apply(engine: Engine, target: Target, body: Json, call: PatchCall): Promise<Patched> {
  const { resource, name, namespace, subresource } = target;
  if (!isObject(body)) throw badRequest('error decoding YAML: the configuration must be an object');
  if (call.fieldManager === '')
    throw badRequest(
      'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
    );
  if (Object.hasOwn(metadataOf(body), 'managedFields')) throw badRequest('metadata.managedFields must be nil');
  const typed = withNamespace(withType(body, resource), target);
  if (textOf(typed, 'name') !== '' && textOf(typed, 'name') !== name) {
    throw badRequest(`the name of the object (${textOf(typed, 'name')}) does not match the name on the URL (${name})`);
  }
  // Checked for unknown fields here; defaults are for the merged object, or the applier would own them.
  settle(typed, resource, call);
  const config = { ...typed, metadata: { ...metadataOf(typed), name } };
  const manager = {
    name: call.fieldManager,
    operation: 'Apply',
    apiVersion: apiVersionOf(resource),
    subresource,
  } as const;
  const merge = (live: JsonObject): JsonObject => {
    const result = refusing(() =>
      applyConfiguration({
        live,
        config,
        schema: resource.schema,
        manager,
        now: engine.now(),
        force: call.force,
        resetFields: resetFields(target),
      }),
    );
    if ('conflicts' in result) throw conflicts(result.conflicts);
    return result.object;
  };
  const exists = engine.store.get(objectKey(resource, namespace, name)) !== undefined;
  if (!exists) {
    if (subresource !== undefined) throw notFound(resource, name);
    if (textOf(config, 'uid') !== '' || textOf(config, 'resourceVersion') !== '') throw notFound(resource, name);
    const object = await create(engine, target, merge({}), { ...call, owners: 'given', fieldValidation: 'Ignore' });
    return { object, created: true };
  }
  const object = await change(engine, target, { ...call, owners: 'given', fieldValidation: 'Ignore' }, merge);
  return { object, created: false };
}

function resetFields({ resource, subresource }: Target): string[][] {
  const hasStatus = resource.subresources.some(({ name }) => name === 'status');
  if (!hasStatus) return [];
  return subresource === 'status' ? [['spec'], ['metadata', 'labels'], ['metadata', 'annotations']] : [['status']];
}

function conflicts(list: readonly Conflict[]): ApiError {
  const causes = list.flatMap(({ manager, fields }) =>
    fields.map((field) => ({
      reason: 'FieldManagerConflict',
      message: `conflict with "${manager.name}"${manager.subresource ? ` with subresource "${manager.subresource}"` : ''}${manager.operation === 'Update' ? ` using ${manager.apiVersion}` : ''}`,
      field,
    })),
  );
  return new ApiError(409, 'Conflict', conflictMessage(list), { causes });
}
