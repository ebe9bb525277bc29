/** `scale` of the built-in workloads: one number, whatever kind it stands in. */
import { ApiError, badRequest, invalid, methodNotAllowed, objectModified } from '../../http/api-error.ts';
import { decodePatch } from '../../http/body.ts';
import type { ApiRequest } from '../../http/exchange.ts';
import { jsonResponse } from '../../http/exchange.ts';
import { contextOf, writeCall } from '../../http/options.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import { PatchError } from '../../patch/errors.ts';
import { jsonPatch } from '../../patch/json-patch.ts';
import { mergePatch } from '../../patch/merge-patch.ts';
import type { Json, JsonObject } from '../../schema/structural.ts';
import { patchType } from '../../verbs/patch.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { change, currentEntry } from '../../verbs/update.ts';
import { notNegative } from '../field-errors.ts';
import { isObject, metadataAt, numberAt, objectAt, specAt, statusAt, textAt } from '../fields.ts';
import { labelsText, selectorText } from '../selectors.ts';
import type { ReadBody } from './read-body.ts';

export function scaleHandler(readBody: ReadBody): SubresourceHandler {
  return async (engine, target, request, verb, warnings) => {
    if (verb === 'get') return jsonResponse(200, scaleOf(objectOf(currentEntry(engine, target))));
    if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed(verb, target.resource);
    const call = writeCall(request, contextOf(request, engine.now(), warnings, 'scale'));
    const wanted = verb === 'update' ? () => readBody(request) : patching(request, target.resource);
    const changed = await change(engine, target, call, (old) => {
      const scale = wanted(scaleOf(old));
      refuse(scale, old, target.name);
      const version = textAt(metadataAt(scale), 'resourceVersion');
      if (version !== '' && version !== textAt(metadataAt(old), 'resourceVersion'))
        throw objectModified(target.resource, target.name);
      return { ...old, spec: { ...specAt(old), replicas: numberAt(specAt(scale), 'replicas') ?? 0 } };
    });
    return jsonResponse(200, scaleOf(changed));
  };
}

function refuse(scale: JsonObject, old: JsonObject, name: string): void {
  const given = textAt(metadataAt(scale), 'name');
  if (given !== '' && given !== name)
    throw badRequest(`the name of the object (${given}) does not match the name on the URL (${name})`);
  const uid = textAt(metadataAt(scale), 'uid');
  if (uid !== '' && uid !== textAt(metadataAt(old), 'uid'))
    throw new ApiError(
      409,
      'Conflict',
      `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(metadataAt(old), 'uid')}`,
    );
  const errors = notNegative('spec.replicas', numberAt(specAt(scale), 'replicas'));
  if (errors.length > 0) throw invalid({ group: 'autoscaling', kind: 'Scale' }, name, errors);
}

function patching(request: ApiRequest, resource: Parameters<typeof patchType>[1]): (scale: JsonObject) => JsonObject {
  const type = patchType(request.headers['content-type'] ?? '', resource);
  const body: Json = decodePatch(request);
  return (scale) => {
    try {
      // A Scale has no lists: strategic merge, apply and merge are the same thing to it.
      const result = type === 'json' ? jsonPatch(scale, body) : isObject(body) ? mergePatch(scale, body) : null;
      if (!isObject(result)) throw badRequest('the patch did not give an object');
      return result;
    } catch (error) {
      if (!(error instanceof PatchError)) throw error;
      throw error.code === 'invalid' ? badRequest(error.message) : new ApiError(422, 'Invalid', error.message, {});
    }
  };
}

/** How large something is, as autoscaling/v1 says it. */
export function scaleOf(object: JsonObject): JsonObject {
  const metadata = metadataAt(object);
  const kept = ['name', 'namespace', 'uid', 'resourceVersion', 'creationTimestamp'].flatMap((field) => {
    const value = metadata[field];
    return value === undefined ? [] : [[field, value] as const];
  });
  const replicas = numberAt(specAt(object), 'replicas') ?? 0;
  const text = selectorOf(object);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: Object.fromEntries(kept),
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(statusAt(object), 'replicas') ?? 0, ...(text === '' ? {} : { selector: text }) },
  };
}

function selectorOf(object: JsonObject): string {
  const selector = objectAt(specAt(object), 'selector');
  const text = object['kind'] === 'ReplicationController' ? labelsText(selector) : selectorText(selector);
  return text === '<none>' ? '' : text;
}
