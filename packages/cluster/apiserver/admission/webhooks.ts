/** Calls the admission webhooks that users registered: mutating ones one after the other, validating ones side by side. */
import { randomUUID } from 'node:crypto';
import { Agent, request as send } from 'undici';
import type { Store } from '../../store/store.ts';
import { ApiError } from '../http/api-error.ts';
import { jsonPatch } from '../patch/json-patch.ts';
import { isObject } from '../patch/merge-patch.ts';
import type { JsonObject } from '../schema/structural.ts';
import { metadataOf, objectOf } from '../verbs/stored-object.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, type Webhook } from './webhook-match.ts';

const PREFIX = '/registry/admissionregistration.k8s.io/';
const NAMESPACES = '/registry/core/namespaces/';
const DEFAULT_TIMEOUT_SECONDS = 10;
const MAX_ANSWER = 3 * 1024 * 1024;

/** Where a Service of the cluster can be reached; the node side knows. */
export type ResolveService = (namespace: string, name: string, port: number) => string | undefined;

interface Answer {
  readonly allowed: boolean;
  readonly patch: JsonObject | undefined;
  readonly warnings: readonly string[];
  readonly status: JsonObject;
}

export function webhookAdmission(store: Store, resolveService: ResolveService): AdmissionPlugin {
  const agents = new Map<string, Agent>();
  return {
    name: 'Webhooks',
    async mutate(request) {
      let { object } = request;
      for (const webhook of matching(store, 'mutatingwebhookconfigurations', request)) {
        const answer = await ask(webhook, { ...request, object });
        if (answer?.patch) object = answer.patch;
      }
      return object;
    },
    async validate(request) {
      await Promise.all(
        matching(store, 'validatingwebhookconfigurations', request).map((webhook) => ask(webhook, request)),
      );
    },
  };

  /** Undefined when the webhook could not be asked and its policy is to go on. */
  async function ask(webhook: Webhook, request: AdmissionRequest): Promise<Answer | undefined> {
    refuseUnsupported(webhook, request);
    let answer: Answer;
    try {
      answer = await call(webhook, request);
    } catch (error) {
      if (webhook.failurePolicy === 'Ignore') return undefined;
      throw new ApiError(
        500,
        'InternalError',
        `Internal error occurred: failed calling webhook "${webhook.name}": ${(error as Error).message}`,
        {
          causes: [{ message: `failed calling webhook "${webhook.name}": ${(error as Error).message}` }],
        },
        { cause: error },
      );
    }
    for (const warning of answer.warnings) request.context.warn(warning);
    if (!answer.allowed) throw denied(webhook, answer.status);
    return answer;
  }

  async function call(webhook: Webhook, request: AdmissionRequest): Promise<Answer> {
    const uid = randomUUID();
    const url = urlOf(webhook);
    const timeoutMs = (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000;
    const { statusCode, body } = await send(url, {
      method: 'POST',
      dispatcher: agentFor(webhook),
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(review(request, uid)),
      signal: AbortSignal.timeout(timeoutMs),
    });
    const text = await body.text();
    if (statusCode !== 200) throw new Error(`expected status 200, got ${statusCode}`);
    if (text.length > MAX_ANSWER) throw new Error('the answer is too large');
    return readAnswer(JSON.parse(text) as JsonObject, uid, request.object);
  }

  function agentFor({ clientConfig: { caBundle = '' } }: Webhook): Agent {
    let agent = agents.get(caBundle);
    if (!agent) {
      agent = new Agent({ connect: caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64').toString() } });
      agents.set(caBundle, agent);
    }
    return agent;
  }

  function urlOf({ clientConfig: { url, service }, name }: Webhook): string {
    if (url !== undefined) return url;
    if (!service) throw new Error(`webhook ${name} has neither url nor service`);
    const origin = resolveService(service.namespace, service.name, service.port ?? 443);
    if (origin === undefined) throw new Error(`service "${service.name}" not found or without endpoints`);
    return `${origin}${service.path ?? ''}`;
  }
}

function matching(store: Store, plural: string, request: AdmissionRequest): Webhook[] {
  const { entries } = store.list(`${PREFIX}${plural}/`);
  if (entries.length === 0) return [];
  const labels = namespaceLabels(store, request);
  return entries.flatMap((entry) =>
    ((objectOf(entry)['webhooks'] ?? []) as unknown as Webhook[]).filter((webhook) =>
      concerns(webhook, request, labels),
    ),
  );
}

function namespaceLabels(
  store: Store,
  { resource, namespace, object, name }: AdmissionRequest,
): Record<string, string> | undefined {
  if (resource.group === '' && resource.plural === 'namespaces')
    return ((object ? metadataOf(object)['labels'] : undefined) ?? {}) as Record<string, string>;
  if (namespace === undefined) return undefined;
  const entry = store.get(`${NAMESPACES}${namespace || name}`);
  return entry ? ((metadataOf(objectOf(entry))['labels'] ?? {}) as Record<string, string>) : {};
}

function refuseUnsupported(webhook: Webhook, { context }: AdmissionRequest): void {
  if ((webhook.matchConditions ?? []).length > 0) {
    throw new ApiError(
      501,
      'NotImplemented',
      `webhook "${webhook.name}" has matchConditions, which the embedded cluster does not evaluate. Remove them, or use objectSelector.`,
    );
  }
  const hasSideEffects = webhook.sideEffects !== 'None' && webhook.sideEffects !== 'NoneOnDryRun';
  if (context.dryRun && hasSideEffects) {
    throw new ApiError(400, 'BadRequest', `admission webhook "${webhook.name}" does not support dry run`);
  }
}

function review(
  { operation, resource, subresource, namespace, name, object, oldObject, options, context }: AdmissionRequest,
  uid: string,
): JsonObject {
  const { group, version, kind, plural } = resource;
  const type = { group, version, kind };
  const place = { group, version, resource: plural };
  const { user } = context;
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: type,
      resource: place,
      ...(subresource === undefined ? {} : { subResource: subresource }),
      requestKind: type,
      requestResource: place,
      name,
      ...(namespace === undefined ? {} : { namespace }),
      operation,
      userInfo: { username: user.name, groups: [...user.groups], ...(user.uid === undefined ? {} : { uid: user.uid }) },
      object: object ?? null,
      oldObject: oldObject ?? null,
      dryRun: context.dryRun,
      options: {
        kind: `${operation[0]}${operation.slice(1).toLowerCase()}Options`,
        apiVersion: 'meta.k8s.io/v1',
        ...options,
      },
    },
  };
}

function readAnswer(body: JsonObject, uid: string, object: JsonObject | undefined): Answer {
  const response = body['response'];
  if (!isObject(response)) throw new Error('the answer has no response');
  if (response['uid'] !== uid) throw new Error(`the answer is for another request: expected response.uid=${uid}`);
  let patch: JsonObject | undefined;
  if (typeof response['patch'] === 'string' && object) {
    if (response['patchType'] !== 'JSONPatch')
      throw new Error(`unsupported patchType ${JSON.stringify(response['patchType'])}`);
    patch = jsonPatch(object, JSON.parse(Buffer.from(response['patch'], 'base64').toString())) as JsonObject;
    if (apiVersionAndKind(patch) !== apiVersionAndKind(object)) throw new Error('the patch changes apiVersion or kind');
  }
  const warnings = Array.isArray(response['warnings'])
    ? response['warnings'].filter((text) => typeof text === 'string')
    : [];
  return {
    allowed: response['allowed'] === true,
    patch,
    warnings,
    status: isObject(response['status']) ? response['status'] : {},
  };
}

const apiVersionAndKind = (object: JsonObject) => `${String(object['apiVersion'])} ${String(object['kind'])}`;

function denied(webhook: Webhook, status: JsonObject): ApiError {
  const message = typeof status['message'] === 'string' ? status['message'] : '';
  const reason = typeof status['reason'] === 'string' ? status['reason'] : '';
  const text =
    message || reason
      ? `admission webhook "${webhook.name}" denied the request: ${message || reason}`
      : `admission webhook "${webhook.name}" denied the request without explanation`;
  const code = typeof status['code'] === 'number' && status['code'] >= 400 ? status['code'] : 403;
  return new ApiError(code, reason || (code === 403 ? 'Forbidden' : ''), text);
}
