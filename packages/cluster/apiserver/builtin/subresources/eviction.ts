import { ApiError, badRequest, tooManyRequests } from '../../http/api-error.ts';
import { jsonResponse } from '../../http/exchange.ts';
import { contextOf, deleteCall, writeCall } from '../../http/options.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { remove } from '../../verbs/delete.ts';
import type { Engine } from '../../verbs/engine.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import { currentEntry } from '../../verbs/update.ts';
import { maybeObject, metadataAt, numberAt, objectAt, objectsAt, specAt, statusAt, textAt } from '../fields.ts';
import { storeLookup } from '../lookup.ts';
import { matcherOfSelector } from '../selectors.ts';
import type { ReadBody } from './read-body.ts';

const BUDGETS = { group: 'policy', plural: 'poddisruptionbudgets', namespaced: true } as const;
const FINISHED = ['Succeeded', 'Failed'];

/** `POST pods/x/eviction`: a delete that asks the disruption budgets first. */
export function evictionHandler(readBody: ReadBody): SubresourceHandler {
  return async (engine, target, request, _verb, warnings) => {
    const body = readBody(request);
    const name = textAt(metadataAt(body), 'name');
    if (name !== '' && name !== target.name) throw badRequest('name in URL does not match name in Eviction object');
    const pod = objectOf(currentEntry(engine, target));
    if (needsBudget(pod)) refuseByBudgets(engine, pod, target.namespace ?? '');
    const call = writeCall(request, contextOf(request, engine.now(), warnings, 'eviction'));
    await remove(
      engine,
      { ...target, subresource: undefined },
      deleteCall(request, call, objectAt(body, 'deleteOptions')),
    );
    return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
  };
}

/** A pod that has ended, has not begun or is going already disturbs nobody. */
function needsBudget(pod: JsonObject): boolean {
  const phase = textAt(statusAt(pod), 'phase');
  return !FINISHED.includes(phase) && phase !== 'Pending' && textAt(metadataAt(pod), 'deletionTimestamp') === '';
}

function refuseByBudgets(engine: Engine, pod: JsonObject, namespace: string): void {
  const labels = objectAt(metadataAt(pod), 'labels') as Record<string, string>;
  const budgets = storeLookup(engine.store)
    .list(BUDGETS, namespace)
    .filter((budget) => {
      const selector = maybeObject(specAt(budget), 'selector');
      return selector !== undefined && matcherOfSelector(selector).matches(labels);
    });
  if (budgets.length > 1)
    throw new ApiError(
      500,
      'InternalError',
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  const [budget] = budgets;
  if (!budget) return;
  const name = textAt(metadataAt(budget), 'name');
  const status = statusAt(budget);
  const isReady = objectsAt(statusAt(pod), 'conditions').some(
    (one) => one['type'] === 'Ready' && one['status'] === 'True',
  );
  if (!isReady && textAt(specAt(budget), 'unhealthyPodEvictionPolicy') === 'AlwaysAllow') return;
  if ((numberAt(status, 'disruptionsAllowed') ?? 0) > 0) return;
  const [healthy, wanted] = [numberAt(status, 'currentHealthy') ?? 0, numberAt(status, 'desiredHealthy') ?? 0];
  const refusal = tooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", 0);
  throw new ApiError(refusal.code, refusal.reason, refusal.message, {
    causes: [
      {
        reason: 'DisruptionBudget',
        message: `The disruption budget ${name} needs ${wanted} healthy pods and has ${healthy} currently`,
      },
    ],
  });
}
