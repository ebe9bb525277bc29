import type { User } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { metadataOf } from '../../verbs/stored-object.ts';
import { type Allows, compileRules, type PolicyRule, rulesOf } from './rules.ts';

export interface Role {
  readonly rules: readonly PolicyRule[];
  readonly allows: Allows;
}

/** One subject of one binding. It names its role; whether there is one shows when somebody asks. */
export interface Grant {
  readonly binding: string;
  /** Empty for a ClusterRoleBinding. */
  readonly namespace: string;
  readonly roleKind: 'Role' | 'ClusterRole';
  readonly roleName: string;
  readonly subject: { readonly kind: string; readonly name: string; readonly namespace: string };
}

type BySubject = Map<string, Grant[]>;

/**
 * Roles and bindings, arranged for the one question that is asked all day: what was granted to this user in this namespace.
 * Grants hang on the subject; roles are looked up by name, so a role may come, change and go without touching its bindings.
 */
export class PolicyIndex {
  readonly #roles = new Map<string, Role>();
  readonly #grants = new Map<string, BySubject>();
  readonly #byBinding = new Map<string, readonly Grant[]>();

  /** Takes in what a key of the store holds now. */
  apply(plural: string, namespace: string, name: string, object: JsonObject | undefined): void {
    const id = `${plural}/${namespace}/${name}`;
    if (plural === 'roles' || plural === 'clusterroles') {
      if (!object) this.#roles.delete(id);
      else {
        const rules = rulesOf(object);
        this.#roles.set(id, { rules, allows: compileRules(rules) });
      }
      return;
    }
    if (plural !== 'rolebindings' && plural !== 'clusterrolebindings') return;
    for (const grant of this.#byBinding.get(id) ?? []) this.#remove(grant);
    this.#byBinding.delete(id);
    if (!object) return;
    const grants = grantsOf(object, namespace, name);
    this.#byBinding.set(id, grants);
    for (const grant of grants) this.#add(grant);
  }

  clear(): void {
    this.#roles.clear();
    this.#grants.clear();
    this.#byBinding.clear();
  }

  role({ roleKind, namespace, roleName }: Pick<Grant, 'roleKind' | 'namespace' | 'roleName'>): Role | undefined {
    const id = roleKind === 'Role' ? `roles/${namespace}/${roleName}` : `clusterroles//${roleName}`;
    return this.#roles.get(id);
  }

  /** Cluster-wide grants first, then those of the namespace. Ends when the visitor gives true. */
  visit(user: User, namespace: string, visitor: (grant: Grant) => boolean): boolean {
    if (visitSubjects(this.#grants.get(''), user, visitor)) return true;
    return namespace !== '' && visitSubjects(this.#grants.get(namespace), user, visitor);
  }

  #add(grant: Grant): void {
    const bySubject: BySubject = this.#grants.get(grant.namespace) ?? new Map();
    this.#grants.set(grant.namespace, bySubject);
    const key = subjectKey(grant.subject);
    const list = bySubject.get(key);
    if (list) list.push(grant);
    else bySubject.set(key, [grant]);
  }

  #remove(grant: Grant): void {
    const bySubject = this.#grants.get(grant.namespace);
    const key = subjectKey(grant.subject);
    const rest = (bySubject?.get(key) ?? []).filter((other) => other !== grant);
    if (rest.length > 0) bySubject?.set(key, rest);
    else bySubject?.delete(key);
    if (bySubject?.size === 0) this.#grants.delete(grant.namespace);
  }
}

function visitSubjects(bySubject: BySubject | undefined, user: User, visitor: (grant: Grant) => boolean): boolean {
  if (!bySubject) return false;
  for (const grant of bySubject.get(`user:${user.name}`) ?? []) if (visitor(grant)) return true;
  for (const group of user.groups) {
    for (const grant of bySubject.get(`group:${group}`) ?? []) if (visitor(grant)) return true;
  }
  return false;
}

/** A service account is a user with a name of a certain form; a grant to one is a grant to that user. */
function subjectKey({ kind, name, namespace }: Grant['subject']): string {
  if (kind === 'Group') return `group:${name}`;
  return kind === 'User' ? `user:${name}` : `user:system:serviceaccount:${namespace}:${name}`;
}

function grantsOf(binding: JsonObject, namespace: string, name: string): Grant[] {
  const roleRef = (binding['roleRef'] ?? {}) as JsonObject;
  const roleKind = roleRef['kind'];
  const roleName = roleRef['name'];
  const subjects = binding['subjects'];
  if ((roleKind !== 'Role' && roleKind !== 'ClusterRole') || typeof roleName !== 'string') return [];
  if (!Array.isArray(subjects)) return [];
  const grants: Grant[] = [];
  for (const entry of subjects as JsonObject[]) {
    const subject = {
      kind: String(entry['kind'] ?? ''),
      name: String(entry['name'] ?? ''),
      namespace: String(entry['namespace'] ?? '') || namespace,
    };
    if (!['User', 'Group', 'ServiceAccount'].includes(subject.kind)) continue;
    if (subject.kind === 'ServiceAccount' && subject.namespace === '') continue;
    grants.push({ binding: name, namespace, roleKind, roleName, subject });
  }
  return grants;
}

/** `plural`, namespace and name out of a key `/registry/rbac.authorization.k8s.io/<plural>/[<namespace>/]<name>`. */
export function policyKey(key: string): { plural: string; namespace: string; name: string } | undefined {
  const [plural, ...rest] = key.slice(POLICY_PREFIX.length).split('/');
  const name = rest.pop();
  return plural === undefined || name === undefined ? undefined : { plural, namespace: rest.join('/'), name };
}

export const POLICY_PREFIX = '/registry/rbac.authorization.k8s.io/';
export const labelsOf = (object: JsonObject) => (metadataOf(object)['labels'] ?? {}) as Record<string, string>;
