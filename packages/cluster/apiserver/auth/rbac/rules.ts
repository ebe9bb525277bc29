/** One rule of a role, and the question whether it allows a request. Rules only ever allow. */
import type { JsonObject } from '../../schema/structural.ts';
import type { Attributes } from '../contract.ts';

export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** The rules of a Role or ClusterRole. What is not a list of strings allows nothing. */
export function rulesOf(role: JsonObject): PolicyRule[] {
  const rules = role['rules'];
  if (!Array.isArray(rules)) return [];
  return rules
    .filter((rule): rule is JsonObject => typeof rule === 'object' && rule !== null && !Array.isArray(rule))
    .map((rule) => ({
      verbs: strings(rule['verbs']),
      apiGroups: strings(rule['apiGroups']),
      resources: strings(rule['resources']),
      resourceNames: strings(rule['resourceNames']),
      nonResourceURLs: strings(rule['nonResourceURLs']),
    }));
}

/** As a role stores it: without the lists that are empty. */
export function ruleObject(rule: PolicyRule): JsonObject {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return {
    ...(apiGroups.length > 0 ? { apiGroups: [...apiGroups] } : {}),
    ...(nonResourceURLs.length > 0 ? { nonResourceURLs: [...nonResourceURLs] } : {}),
    ...(resourceNames.length > 0 ? { resourceNames: [...resourceNames] } : {}),
    ...(resources.length > 0 ? { resources: [...resources] } : {}),
    verbs: [...verbs],
  };
}

const strings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];

/** The plain reading of one rule. The compiled one below must agree with it on everything. */
export function ruleAllows(rule: PolicyRule, request: Attributes): boolean {
  if (!matches(rule.verbs, request.verb)) return false;
  if (request.path !== undefined) return rule.nonResourceURLs.some((url) => urlMatches(url, request.path ?? ''));
  return (
    matches(rule.apiGroups, request.group) &&
    rule.resources.some((resource) => resourceMatches(resource, request.resource, request.subresource)) &&
    (rule.resourceNames.length === 0 || rule.resourceNames.includes(request.name))
  );
}

const matches = (allowed: readonly string[], asked: string) => allowed.includes('*') || allowed.includes(asked);

// `*` is everything, `pods/exec` a subresource, `*/scale` that of any kind. `pods/*` has no meaning.
export function resourceMatches(allowed: string, resource: string, subresource: string): boolean {
  if (allowed === '*') return true;
  if (subresource === '') return allowed === resource;
  return allowed === `${resource}/${subresource}` || allowed === `*/${subresource}`;
}

export function urlMatches(allowed: string, path: string): boolean {
  if (allowed === '*' || allowed === path) return true;
  return allowed.endsWith('*') && path.startsWith(allowed.replace(/\*+$/, ''));
}

export type Allows = (request: Attributes) => boolean;

interface Compiled {
  readonly groups: ReadonlySet<string> | undefined;
  readonly resources: ReadonlySet<string> | undefined;
  readonly names: ReadonlySet<string> | undefined;
}

/** All rules of one role, by verb, so that a request meets only those that could allow it. */
export function compileRules(rules: readonly PolicyRule[]): Allows {
  const byVerb = new Map<string, Compiled[]>();
  const urlsByVerb = new Map<string, string[]>();
  for (const rule of rules) {
    // A set, because a rule may say a verb twice; `*` includes the others.
    const verbs = rule.verbs.includes('*') ? ['*'] : new Set(rule.verbs);
    const compiled: Compiled = {
      groups: setUnless(rule.apiGroups, '*'),
      resources: setUnless(rule.resources, '*'),
      names: rule.resourceNames.length === 0 ? undefined : new Set(rule.resourceNames),
    };
    for (const verb of verbs) {
      if (rule.resources.length > 0) append(byVerb, verb, compiled);
      for (const url of rule.nonResourceURLs) append(urlsByVerb, verb, url);
    }
  }
  return (request) => {
    const { path, verb } = request;
    if (path !== undefined) {
      return anyUrl(urlsByVerb.get(verb), path) || anyUrl(urlsByVerb.get('*'), path);
    }
    return anyRule(byVerb.get(verb), request) || anyRule(byVerb.get('*'), request);
  };
}

const setUnless = (values: readonly string[], all: string) => (values.includes(all) ? undefined : new Set(values));

function append<V>(map: Map<string, V[]>, key: string, value: V): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

const anyUrl = (urls: readonly string[] | undefined, path: string) =>
  urls?.some((url) => urlMatches(url, path)) ?? false;

function anyRule(rules: readonly Compiled[] | undefined, request: Attributes): boolean {
  if (!rules) return false;
  const { group, resource, subresource, name } = request;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  for (const { groups, resources, names } of rules) {
    if (groups && !groups.has(group)) continue;
    if (resources && !resources.has(full) && (subresource === '' || !resources.has(`*/${subresource}`))) continue;
    if (names && !names.has(name)) continue;
    return true;
  }
  return false;
}
