import { createPatch } from 'rfc6902';
import type { JsonPatchOperation } from '../client/contract.ts';
import { KubeError } from '../errors.ts';
import { apiVersionOf } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { type AdmissionRequest, Denial, type MutatingAnswer, type Webhook } from './admission.ts';

/** The wire form of a request, admission.k8s.io/v1. */
export interface ReviewRequest {
  readonly uid: string;
  readonly kind: { readonly group: string; readonly version: string; readonly kind: string };
  readonly operation: AdmissionRequest['operation'];
  readonly name?: string;
  readonly namespace?: string;
  readonly subResource?: string;
  readonly userInfo?: AdmissionRequest['userInfo'];
  readonly dryRun?: boolean;
  readonly object?: KubeObject | null;
  readonly oldObject?: KubeObject | null;
}

export interface AdmissionReview {
  readonly apiVersion: 'admission.k8s.io/v1';
  readonly kind: 'AdmissionReview';
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly code: number; readonly reason: string; readonly message: string };
    readonly warnings?: readonly string[];
    readonly patchType?: 'JSONPatch';
    readonly patch?: string;
  };
}

/** Asks the handler. Its denial is an answer, its failure passes through. */
export async function answerReview(
  webhook: Webhook,
  raw: ReviewRequest,
  signal: AbortSignal,
): Promise<AdmissionReview> {
  const before = raw.object ?? undefined;
  const answer = await ask(webhook, {
    uid: raw.uid,
    operation: raw.operation,
    name: raw.name ?? '',
    namespace: raw.namespace ?? '',
    subresource: raw.subResource ?? '',
    userInfo: raw.userInfo ?? {},
    dryRun: raw.dryRun ?? false,
    // A copy, so that a handler may change what it got and return that.
    ...(before && { object: structuredClone(before) }),
    ...(raw.oldObject && { oldObject: raw.oldObject }),
    signal,
  });
  if (answer instanceof Denial) {
    const { status: code, reason, message } = answer;
    return reply(raw.uid, { allowed: false, status: { code, reason, message } });
  }
  const patch = patchOf(webhook, before, answer);
  return reply(raw.uid, {
    allowed: true,
    ...(answer.warnings?.length && { warnings: answer.warnings }),
    ...(patch.length > 0 && {
      patchType: 'JSONPatch' as const,
      patch: Buffer.from(JSON.stringify(patch)).toString('base64'),
    }),
  });
}

async function ask(webhook: Webhook, request: AdmissionRequest): Promise<MutatingAnswer<KubeObject> | Denial> {
  try {
    return (await webhook.handle(request)) ?? {};
  } catch (error) {
    if (error instanceof Denial) return error;
    throw error;
  }
}

function patchOf(
  webhook: Webhook,
  before: KubeObject | undefined,
  { object, patch }: MutatingAnswer<KubeObject>,
): readonly JsonPatchOperation[] {
  if (webhook.type === 'validating' || (object === undefined && patch === undefined)) return [];
  if (patch !== undefined) return patch;
  if (before === undefined) throw new Error(`the webhook ${webhook.path} changed an object where there is none`);
  return createPatch(before, JSON.parse(JSON.stringify(object))) as JsonPatchOperation[];
}

/** Throws with what is wrong when the body is no review for this webhook. */
export function parseReview(webhook: Webhook, body: string): ReviewRequest {
  const bad = (why: string) =>
    new KubeError('bad-request', `the body is no AdmissionReview of admission.k8s.io/v1: ${why}`);
  let review: { apiVersion?: unknown; kind?: unknown; request?: Partial<ReviewRequest> | null } | null;
  try {
    review = JSON.parse(body);
  } catch (cause) {
    throw new KubeError('bad-request', `the body is no JSON: ${(cause as Error).message}`, { cause });
  }
  if (typeof review !== 'object' || review === null) throw bad('it is no object');
  if (review.apiVersion !== 'admission.k8s.io/v1' || review.kind !== 'AdmissionReview') {
    throw bad(`it is ${review.kind} of ${review.apiVersion}; set admissionReviewVersions: [v1]`);
  }
  const { request } = review;
  if (typeof request !== 'object' || request === null) throw bad('it has no request');
  if (typeof request.uid !== 'string' || request.uid === '') throw bad('its request has no uid');
  if (typeof request.operation !== 'string') throw bad('its request has no operation');
  const { group = '', version = '', kind = '' } = request.kind ?? {};
  const expected = webhook.kind;
  if (group !== expected.group || version !== expected.version || kind !== expected.kind) {
    throw new KubeError(
      'bad-request',
      `${webhook.path} is for ${expected.kind} of ${apiVersionOf(expected)}, but was asked about ${kind} of ${apiVersionOf({ group, version })}; correct the rules of its configuration`,
    );
  }
  return request as ReviewRequest;
}

function reply(uid: string, response: Omit<AdmissionReview['response'], 'uid'>): AdmissionReview {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...response } };
}
