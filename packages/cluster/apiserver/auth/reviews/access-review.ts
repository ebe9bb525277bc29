/** May they? SubjectAccessReview and its siblings put the question that every request puts. */
import type { User } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { metadataOf } from '../../verbs/stored-object.ts';
import type { Attributes, Authorize } from '../contract.ts';
import { asking } from '../rbac/rbac.ts';
import { answered, fieldInvalid, metadataErrors, refuse } from './review-object.ts';

const GROUP = 'authorization.k8s.io';

interface Spec {
  readonly resourceAttributes?: Partial<Record<keyof Attributes, string>> & {
    readonly fieldSelector?: Selector | null;
    readonly labelSelector?: Selector | null;
  };
  readonly nonResourceAttributes?: { readonly path?: string; readonly verb?: string };
  readonly user?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

interface Selector {
  readonly rawSelector?: string;
  readonly requirements?: readonly {
    readonly key?: string;
    readonly operator?: string;
    readonly values?: readonly string[];
  }[];
}

/** About anybody. */
export function subjectAccessReview(authorize: Authorize, review: JsonObject): JsonObject {
  const spec = specOf(review);
  refuse(GROUP, [...attributeErrors(spec), ...subjectErrors(spec), ...metadataErrors(review, false)]);
  return decided(authorize, review, subjectOf(spec));
}

/** About anybody, in one namespace: what an administrator of a namespace may ask. */
export function localSubjectAccessReview(authorize: Authorize, review: JsonObject): JsonObject {
  const spec = specOf(review);
  const errors = [...attributeErrors(spec), ...subjectErrors(spec), ...metadataErrors(review, true)];
  const namespace = metadataOf(review)['namespace'] ?? '';
  const asked = spec.resourceAttributes?.namespace ?? '';
  if (spec.resourceAttributes && asked !== namespace) {
    errors.push(fieldInvalid('spec.resourceAttributes.namespace', asked, 'must match metadata.namespace'));
  }
  if (spec.nonResourceAttributes) {
    errors.push(pathError(spec.nonResourceAttributes, 'disallowed on this kind of request'));
  }
  refuse(GROUP, errors);
  return decided(authorize, review, subjectOf(spec));
}

/** About the one who asks: `kubectl auth can-i`. */
export function selfSubjectAccessReview(authorize: Authorize, review: JsonObject, user: User): JsonObject {
  refuse(GROUP, [...attributeErrors(specOf(review)), ...metadataErrors(review, false)]);
  return decided(authorize, review, user);
}

const specOf = (review: JsonObject) => (review['spec'] ?? {}) as Spec;

const subjectOf = ({ user = '', uid, groups = [], extra }: Spec): User => ({ name: user, uid, groups, extra });

function decided(authorize: Authorize, review: JsonObject, user: User): JsonObject {
  const { resourceAttributes: about, nonResourceAttributes: path } = specOf(review);
  const decision = authorize(
    path
      ? asking(user, { verb: path.verb ?? '', path: path.path ?? '' })
      : asking(user, {
          verb: about?.verb ?? '',
          group: about?.group ?? '',
          version: about?.version ?? '',
          resource: about?.resource ?? '',
          subresource: about?.subresource ?? '',
          namespace: about?.namespace ?? '',
          name: about?.name ?? '',
        }),
  );
  return answered(review, { allowed: decision.allowed, ...(decision.reason ? { reason: decision.reason } : {}) });
}

function attributeErrors({ resourceAttributes, nonResourceAttributes }: Spec): FieldError[] {
  if (resourceAttributes && nonResourceAttributes) {
    return [pathError(nonResourceAttributes, 'cannot be specified in combination with resourceAttributes')];
  }
  if (!resourceAttributes && !nonResourceAttributes) {
    const why = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    return [fieldInvalid('spec.resourceAttributes', null, why)];
  }
  return [
    ...selectorErrors(resourceAttributes?.fieldSelector, 'spec.resourceAttributes.fieldSelector'),
    ...selectorErrors(resourceAttributes?.labelSelector, 'spec.resourceAttributes.labelSelector'),
  ];
}

/** Selectors narrow no decision of RBAC, but a malformed one is refused all the same. */
function selectorErrors(selector: Selector | null | undefined, field: string): FieldError[] {
  if (!selector) return [];
  const { rawSelector = '', requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== '' && requirements.length > 0) {
    errors.push(
      fieldInvalid(`${field}.rawSelector`, rawSelector, 'may not specified at the same time as requirements'),
    );
  }
  if (rawSelector === '' && requirements.length === 0) {
    errors.push({
      field: `${field}.requirements`,
      reason: 'FieldValueRequired',
      message: `Required value: when ${field} is specified, requirements or rawSelector is required`,
    });
  }
  for (const [at, { key = '' }] of requirements.entries()) {
    if (key !== '') continue;
    const where = `${field}.requirements[${at}].key`;
    errors.push({ field: where, reason: 'FieldValueRequired', message: 'Required value: must be specified' });
  }
  return errors;
}

function subjectErrors({ user = '', groups = [] }: Spec): FieldError[] {
  if (user !== '' || groups.length > 0) return [];
  return [fieldInvalid('spec.user', '', 'at least one of user or group must be specified')];
}

const pathError = ({ path = '', verb = '' }: NonNullable<Spec['nonResourceAttributes']>, why: string) =>
  fieldInvalid('spec.nonResourceAttributes', { Path: path, Verb: verb }, why);
