/**
 * Nobody grants what they do not have. Writing a role needs every right in it, or the verb `escalate` on it; writing a
 * binding needs every right of its role, or the verb `bind` on that role.
 */
import { isDeepStrictEqual } from 'node:util';
import type { AdmissionPlugin, AdmissionRequest } from '../../admission/admission.ts';
import { forbidden, type Named, notFound } from '../../http/api-error.ts';
import type { User } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataOf } from '../../verbs/stored-object.ts';
import { describeRules, quotedList, uncovered } from './coverage.ts';
import { asking, MASTERS, quoted, type Rbac } from './rbac.ts';
import { type PolicyRule, rulesOf } from './rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
const ROLES = new Set(['roles', 'clusterroles']);
const BINDINGS = new Set(['rolebindings', 'clusterrolebindings']);
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'], resourceNames: [], nonResourceURLs: [] },
  { verbs: ['*'], apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: ['*'] },
];

export function rbacEscalation(rbac: Rbac): AdmissionPlugin {
  return {
    name: 'RBACEscalation',
    validate(request) {
      const { resource, operation, object, oldObject, context } = request;
      if (resource.group !== GROUP || object === undefined || request.subresource !== undefined) return;
      if (operation !== 'CREATE' && operation !== 'UPDATE') return;
      if (context.user.groups.includes(MASTERS)) return;
      if (ROLES.has(resource.plural)) checkRole(rbac, request, object);
      else if (BINDINGS.has(resource.plural)) checkBinding(rbac, request, object, oldObject);
    },
  };
}

function checkRole(rbac: Rbac, request: AdmissionRequest, role: JsonObject): void {
  const { resource, name, oldObject } = request;
  const { user } = request.context;
  const namespace = request.namespace ?? '';
  const verbOn = { group: GROUP, version: resource.version, resource: resource.plural, namespace, name };
  if (rbac.authorize(asking(user, { ...verbOn, verb: 'escalate' })).allowed) return;
  if (oldObject && changesOnlyOwners(role, oldObject)) return;
  const aggregates = role['aggregationRule'] !== undefined || oldObject?.['aggregationRule'] !== undefined;
  const changed = !isDeepStrictEqual(role['aggregationRule'], oldObject?.['aggregationRule']);
  if (aggregates && changed && uncovered(rbac.rulesFor(user, namespace).rules, EVERYTHING).length > 0) {
    throw forbidden(resource, name, 'must have cluster-admin privileges to use the aggregationRule');
  }
  demandCovered(rbac, { user, namespace, of: resource, name }, rulesOf(role));
}

function checkBinding(rbac: Rbac, request: AdmissionRequest, binding: JsonObject, old: JsonObject | undefined): void {
  const { resource, name } = request;
  const { user } = request.context;
  const namespace = request.namespace ?? '';
  const roleRef = (binding['roleRef'] ?? {}) as JsonObject;
  const kind = roleRef['kind'] === 'Role' ? 'Role' : 'ClusterRole';
  const roleName = String(roleRef['name'] ?? '');
  const bound = { group: GROUP, version: resource.version, resource: `${kind.toLowerCase()}s`, namespace };
  if (rbac.authorize(asking(user, { ...bound, name: roleName, verb: 'bind' })).allowed) return;
  if (old && changesOnlyOwners(binding, old)) return;
  const role = rbac.role(kind, namespace, roleName);
  if (!role) throw notFound(resource, roleName);
  demandCovered(rbac, { user, namespace, of: resource, name }, role.rules);
}

function demandCovered(
  rbac: Rbac,
  { user, namespace, of, name }: { user: User; namespace: string; of: Named; name: string },
  asked: readonly PolicyRule[],
): void {
  const { rules, missing } = rbac.rulesFor(user, namespace);
  const lacking = uncovered(rules, asked);
  if (lacking.length === 0) return;
  const unresolved = missing.map(({ roleName }) => `${of.plural}.${GROUP} ${quoted(roleName)} not found`);
  const errors = unresolved.length === 0 ? '' : `; resolution errors: [${[...new Set(unresolved)].join(' ')}]`;
  throw forbidden(
    of,
    name,
    `user ${quoted(user.name)} (groups=${quotedList(user.groups)}) is attempting to grant RBAC permissions not currently held:\n${describeRules(lacking).join('\n')}${errors}`,
  );
}

/** The garbage collector takes finalizers and owners off what it deletes; that grants nothing. */
function changesOnlyOwners(object: JsonObject, old: JsonObject): boolean {
  const rest = (value: JsonObject): JsonObject => {
    const {
      finalizers: _f,
      ownerReferences: _o,
      managedFields: _m,
      resourceVersion: _r,
      ...metadata
    } = metadataOf(value);
    return { ...value, metadata };
  };
  return isDeepStrictEqual(rest(object), rest(old));
}
