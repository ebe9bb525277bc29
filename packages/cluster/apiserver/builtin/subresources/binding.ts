import { ApiError, badRequest, conflict, objectModified } from '../../http/api-error.ts';
import { jsonResponse } from '../../http/exchange.ts';
import { contextOf, writeCall } from '../../http/options.ts';
import type { SubresourceHandler } from '../../http/resource-handler.ts';
import type { JsonObject } from '../../schema/structural.ts';
import type { Engine, Target } from '../../verbs/engine.ts';
import { objectKey } from '../../verbs/keys.ts';
import { objectOf, storedText, timestamp } from '../../verbs/stored-object.ts';
import { currentEntry } from '../../verbs/update.ts';
import { metadataAt, objectAt, objectsAt, specAt, statusAt, textAt } from '../fields.ts';
import type { ReadBody } from './read-body.ts';

export interface Bind {
  readonly node: string;
  readonly uid: string;
  readonly annotations: JsonObject;
}

/** `POST pods/x/binding`: the scheduler's one decision. */
export function bindingHandler(readBody: ReadBody): SubresourceHandler {
  return async (engine, target, request, _verb, warnings) => {
    const body = readBody(request);
    const node = objectAt(body, 'target');
    const kind = textAt(node, 'kind');
    if (kind !== '' && kind !== 'Node' && kind !== 'Minion')
      throw badRequest(`target.kind: Unsupported value: "${kind}": supported values: "Node", "<empty>"`);
    if (textAt(node, 'name') === '') throw new ApiError(500, '', 'target.name: Required value');
    const { context } = writeCall(request, contextOf(request, engine.now(), warnings, 'binding'));
    const bind = {
      node: textAt(node, 'name'),
      uid: textAt(metadataAt(body), 'uid'),
      annotations: objectAt(metadataAt(body), 'annotations'),
    };
    await bindPod(engine, target, bind, context.dryRun);
    return jsonResponse(201, { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 });
  };
}

const RETRIES = 5;

/** One guarded write: the node's name and the condition that says so. */
export async function bindPod(engine: Engine, target: Target, bind: Bind, dryRun = false): Promise<void> {
  for (let tries = 1; ; tries++) {
    const entry = currentEntry(engine, target);
    const pod = objectOf(entry);
    const bound = boundPod(pod, target, bind, engine.now());
    if (dryRun) return;
    const key = objectKey(target.resource, target.namespace, target.name);
    const outcome = await engine.store.txn({ type: 'put', key, value: storedText(bound), ifRevision: entry.revision });
    if (outcome.ok) return;
    if (tries === RETRIES) throw objectModified(target.resource, target.name);
  }
}

function boundPod(pod: JsonObject, target: Target, { node, uid, annotations }: Bind, now: Date): JsonObject {
  const refuse = (why: string) => conflict({ group: '', plural: 'pods/binding' }, target.name, why);
  const metadata = metadataAt(pod);
  if (uid !== '' && uid !== textAt(metadata, 'uid'))
    throw refuse(`Precondition failed: UID in precondition: ${uid}, UID in object meta: ${textAt(metadata, 'uid')}`);
  if (textAt(metadata, 'deletionTimestamp') !== '')
    throw refuse(`pod ${target.name} is being deleted, cannot be assigned to a host`);
  const spec = specAt(pod);
  if (textAt(spec, 'nodeName') !== '')
    throw refuse(`pod ${target.name} is already assigned to node "${textAt(spec, 'nodeName')}"`);
  if (objectsAt(spec, 'schedulingGates').length > 0)
    throw refuse(`pod ${target.name} has non-empty .spec.schedulingGates`);
  const status = statusAt(pod);
  const others = objectsAt(status, 'conditions').filter((one) => one['type'] !== 'PodScheduled');
  const scheduled: JsonObject = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: timestamp(now),
  };
  const allAnnotations = { ...objectAt(metadata, 'annotations'), ...annotations };
  return {
    ...pod,
    metadata: { ...metadata, ...(Object.keys(allAnnotations).length > 0 ? { annotations: allAnnotations } : {}) },
    spec: { ...spec, nodeName: node },
    status: { ...status, conditions: [...others, scheduled] },
  };
}
