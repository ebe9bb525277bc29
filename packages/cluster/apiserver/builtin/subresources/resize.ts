/** `pods/x/resize`: the resources of running containers, and nothing else. */
import { methodNotAllowed } from '../../http/api-error.ts';
import { decodePatch } from '../../http/body.ts';
import { jsonResponse } from '../../http/exchange.ts';
import { contextOf, writeCall } from '../../http/options.ts';
import { isTrue } from '../../http/request-info.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import type { Target } from '../../verbs/engine.ts';
import { patch, patchType } from '../../verbs/patch.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { currentEntry, update } from '../../verbs/update.ts';
import { invalidValue } from '../field-errors.ts';
import { objectAt, objectsAt, specAt, textAt } from '../fields.ts';
import { qosClass } from '../pods/qos-class.ts';
import { validateResources } from '../pods/resource-validation.ts';
import type { ReadBody } from './read-body.ts';

export function resizeHandler(readBody: ReadBody): SubresourceHandler {
  return async (engine, target, request, verb, warnings) => {
    if (verb === 'get') return jsonResponse(200, objectOf(currentEntry(engine, target)));
    if (verb !== 'update' && verb !== 'patch') throw methodNotAllowed(verb, target.resource);
    const call = writeCall(request, contextOf(request, engine.now(), warnings, 'resize'));
    const resizing: Target = {
      ...target,
      resource: { ...target.resource, strategy: resizeStrategy(target.resource.strategy) },
    };
    if (verb === 'update') return jsonResponse(200, await update(engine, resizing, readBody(request), call));
    const type = patchType(request.headers['content-type'] ?? '', target.resource);
    const force = isTrue(request.query.get('force') ?? 'false');
    const { object } = await patch(engine, resizing, type, decodePatch(request), { ...call, force });
    return jsonResponse(200, object);
  };
}

/** Of what was sent, the resources of the containers count; everything else stays as it is. */
function resizeStrategy(strategy: Strategy): Strategy {
  return {
    ...strategy,
    prepareUpdate(pod, old) {
      const sent = objectsAt(specAt(pod), 'containers');
      const containers = objectsAt(specAt(old), 'containers').map((container): JsonObject => {
        const same = sent.find((one) => textAt(one, 'name') === textAt(container, 'name'));
        return same ? { ...container, resources: objectAt(same, 'resources') } : container;
      });
      pod['spec'] = { ...specAt(old), containers };
      const status = old['status'];
      if (status !== undefined) pod['status'] = status;
    },
    validateUpdate: validateResize,
  };
}

function validateResize(pod: JsonObject, old: JsonObject): FieldError[] {
  const errors = objectsAt(specAt(pod), 'containers').flatMap((container, index) =>
    validateResources(objectAt(container, 'resources'), `spec.containers[${index}].resources`),
  );
  if (qosClass(pod) !== qosClass(old))
    errors.push(invalidValue('spec', qosClass(old), 'Pod QOS Class may not change as a result of resizing'));
  return errors;
}
