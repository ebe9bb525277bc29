/** May this user do this? Answered from memory, in a few microseconds, by what Roles and Bindings say at this moment. */
import { isStoreError } from '../../../store/errors.ts';
import type { Store, StoreEvent, Watch } from '../../../store/store.ts';
import type { User } from '../../registry/resource.ts';
import { objectOf } from '../../verbs/stored-object.ts';
import type { Attributes, Authorize, Decision } from '../contract.ts';
import { type Grant, POLICY_PREFIX, PolicyIndex, policyKey, type Role } from './policy-index.ts';
import type { PolicyRule } from './rules.ts';

/** Members may do everything, whatever the bindings say: nobody can lock the administrator out. */
export const MASTERS = 'system:masters';

const SILENT_ALLOW: Decision = { allowed: true, reason: '' };
const SILENT_DENY: Decision = { allowed: false, reason: '' };

export interface EffectiveRules {
  readonly rules: readonly PolicyRule[];
  /** Bindings that name a role which does not exist. */
  readonly missing: readonly Grant[];
}

export class Rbac {
  readonly #store: Store;
  readonly #index = new PolicyIndex();
  #watch: Watch | undefined;
  #following: Promise<void> = Promise.resolve();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the policy and follows it from then on. `onLost` is told when it can't be followed any more. */
  start(onLost: (error: unknown) => void): void {
    this.#watch = this.#load();
    this.#following = this.#follow().catch((error: unknown) => {
      if (!isStoreError(error, 'closed')) onLost(error);
    });
  }

  async close(): Promise<void> {
    const watch = this.#watch;
    this.#watch = undefined;
    await watch?.return();
    await this.#following;
  }

  readonly authorize: Authorize = (request) => {
    const { user, path, namespace } = request;
    if (user.groups.includes(MASTERS)) return SILENT_ALLOW;
    let missing: Grant[] | undefined;
    let found: Grant | undefined;
    // A path belongs to no namespace: only what holds cluster-wide counts.
    this.#index.visit(user, path === undefined ? namespace : '', (grant) => {
      const role = this.#index.role(grant);
      if (!role) {
        missing ??= [];
        missing.push(grant);
        return false;
      }
      if (!role.allows(request)) return false;
      found = grant;
      return true;
    });
    if (found) return { allowed: true, reason: `RBAC: allowed by ${grantText(found)}` };
    return missing ? { allowed: false, reason: `RBAC: ${errorList(missing.map(missingRoleText))}` } : SILENT_DENY;
  };

  /** Everything that was granted to a user cluster-wide and, where one is given, in a namespace. */
  rulesFor(user: User, namespace: string): EffectiveRules {
    const rules: PolicyRule[] = [];
    const missing: Grant[] = [];
    this.#index.visit(user, namespace, (grant) => {
      const role = this.#index.role(grant);
      if (role) rules.push(...role.rules);
      else missing.push(grant);
      return false;
    });
    return { rules, missing };
  }

  role(kind: 'Role' | 'ClusterRole', namespace: string, name: string): Role | undefined {
    return this.#index.role({ roleKind: kind, namespace, roleName: name });
  }

  #load(): Watch {
    const { entries, revision } = this.#store.list(POLICY_PREFIX);
    this.#index.clear();
    for (const entry of entries) {
      const key = policyKey(entry.key);
      if (key) this.#index.apply(key.plural, key.namespace, key.name, objectOf(entry));
    }
    return this.#store.watch(POLICY_PREFIX, { after: revision });
  }

  async #follow(): Promise<void> {
    while (this.#watch) {
      try {
        for await (const events of this.#watch) for (const event of events) this.#apply(event);
        return;
      } catch (error) {
        if (!isStoreError(error, 'compacted')) throw error;
        this.#watch = this.#load();
      }
    }
  }

  #apply(event: StoreEvent): void {
    const key = policyKey(event.key);
    if (!key) return;
    this.#index.apply(key.plural, key.namespace, key.name, event.entry && objectOf(event.entry));
  }
}

function grantText({ binding, namespace, roleKind, roleName, subject }: Grant): string {
  const what =
    namespace === '' ? `ClusterRoleBinding ${quoted(binding)}` : `RoleBinding ${quoted(`${binding}/${namespace}`)}`;
  const who =
    subject.kind === 'ServiceAccount'
      ? `ServiceAccount ${quoted(`${subject.name}/${subject.namespace}`)}`
      : `${subject.kind} ${quoted(subject.name)}`;
  return `${what} of ${roleKind} ${quoted(roleName)} to ${who}`;
}

export const missingRoleText = ({ roleKind, roleName }: Grant) =>
  `${roleKind.toLowerCase()}.rbac.authorization.k8s.io ${quoted(roleName)} not found`;

/** Several errors in one line, each said once. */
export function errorList(texts: readonly string[]): string {
  const unique = [...new Set(texts)];
  return unique.length === 1 ? (unique[0] ?? '') : `[${unique.join(', ')}]`;
}

export const quoted = (text: string) => JSON.stringify(text);

/** A question about an object that only has a verb and a name, as the checks on roles and bindings ask it. */
export const asking = (user: User, about: Partial<Omit<Attributes, 'user'>>): Attributes => ({
  verb: '',
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  path: undefined,
  ...about,
  user,
});
