/** The kinds that are questions. Each is created, answered and forgotten; the registry calls these for their answers. */
import { badRequest } from '../../http/api-error.ts';
import type { Resource, User } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { timestamp } from '../../verbs/stored-object.ts';
import type { Authenticator } from '../authenticate.ts';
import { errorList, missingRoleText, type Rbac } from '../rbac/rbac.ts';
import { ruleObject } from '../rbac/rules.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-review.ts';
import { answered, userInfo, withAuthenticated } from './review-object.ts';

export interface ReviewDeps {
  readonly rbac: Rbac;
  readonly authenticator: Authenticator;
}

type Virtual = NonNullable<Resource['virtual']>;

/** By `group/Kind`, as the registry wires them. */
export function reviewVirtuals({ rbac, authenticator }: ReviewDeps): Readonly<Record<string, Virtual>> {
  return {
    'authorization.k8s.io/SubjectAccessReview': async (review) => subjectAccessReview(rbac.authorize, review),
    'authorization.k8s.io/LocalSubjectAccessReview': async (review) => localSubjectAccessReview(rbac.authorize, review),
    'authorization.k8s.io/SelfSubjectAccessReview': async (review, { user }) =>
      selfSubjectAccessReview(rbac.authorize, review, user),
    'authorization.k8s.io/SelfSubjectRulesReview': async (review, { user }) => rulesReview(rbac, review, user),
    'authentication.k8s.io/SelfSubjectReview': async (review, { user, now }) => ({
      kind: review['kind'] ?? '',
      apiVersion: review['apiVersion'] ?? '',
      metadata: { creationTimestamp: timestamp(now) },
      status: { userInfo: userInfo(user) },
    }),
    'authentication.k8s.io/TokenReview': (review) => tokenReview(authenticator, review),
  };
}

function rulesReview(rbac: Rbac, review: JsonObject, user: User): JsonObject {
  const namespace = (review['spec'] as JsonObject | undefined)?.['namespace'];
  if (typeof namespace !== 'string' || namespace === '') throw badRequest('no namespace on request');
  const { rules, missing } = rbac.rulesFor(user, namespace);
  const error = missing.length === 0 ? undefined : errorList(missing.map(missingRoleText));
  return {
    kind: review['kind'] ?? '',
    apiVersion: review['apiVersion'] ?? '',
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.filter(({ resources }) => resources.length > 0).map(ruleObject),
      nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs.length > 0).map(ruleObject),
      incomplete: false,
      ...(error === undefined ? {} : { evaluationError: error }),
    },
  };
}

async function tokenReview(authenticator: Authenticator, review: JsonObject): Promise<JsonObject> {
  const { token, audiences } = (review['spec'] ?? {}) as { token?: string; audiences?: readonly string[] | null };
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const verification = await authenticator.review(token, audiences?.length ? audiences : undefined);
  if (verification.ok) {
    return answered(review, {
      authenticated: true,
      user: userInfo(withAuthenticated(verification.user)),
      audiences: [...verification.audiences],
    });
  }
  const { reason } = verification;
  const error = reason === undefined ? 'invalid bearer token' : `[invalid bearer token, ${reason}]`;
  return answered(review, { user: {}, error });
}
