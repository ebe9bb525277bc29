/** Whether one set of rules grants all that another does, and what is missing: the base of "nobody grants what they lack". */
import { type PolicyRule, ruleObject, urlMatches } from './rules.ts';

/** The smallest grants that a rule is made of: one verb on one resource (of one name), or on one path. */
export function atomsOf(rule: PolicyRule): PolicyRule[] {
  const none = { apiGroups: [], resources: [], resourceNames: [], nonResourceURLs: [] };
  const atoms: PolicyRule[] = [];
  for (const group of rule.apiGroups) {
    for (const resource of rule.resources) {
      for (const verb of rule.verbs) {
        const atom = { ...none, apiGroups: [group], resources: [resource], verbs: [verb] };
        if (rule.resourceNames.length === 0) atoms.push(atom);
        else for (const name of rule.resourceNames) atoms.push({ ...atom, resourceNames: [name] });
      }
    }
  }
  for (const url of rule.nonResourceURLs) {
    for (const verb of rule.verbs) atoms.push({ ...none, nonResourceURLs: [url], verbs: [verb] });
  }
  return atoms;
}

/** The atoms of `asked` that no rule of `owned` covers. */
export function uncovered(owned: readonly PolicyRule[], asked: readonly PolicyRule[]): PolicyRule[] {
  return asked.flatMap(atomsOf).filter((atom) => !owned.some((rule) => covers(rule, atom)));
}

function covers(rule: PolicyRule, atom: PolicyRule): boolean {
  return (
    hasAll(rule.verbs, atom.verbs) &&
    hasAll(rule.apiGroups, atom.apiGroups) &&
    atom.resources.every((resource) => coversResource(rule.resources, resource)) &&
    // No names is every name: such an atom is covered by such a rule only.
    (rule.resourceNames.length === 0 ||
      (atom.resourceNames.length > 0 && atom.resourceNames.every((name) => rule.resourceNames.includes(name)))) &&
    atom.nonResourceURLs.every((url) => rule.nonResourceURLs.some((own) => urlMatches(own, url)))
  );
}

const hasAll = (owned: readonly string[], asked: readonly string[]) =>
  owned.includes('*') || asked.every((item) => owned.includes(item));

function coversResource(owned: readonly string[], asked: string): boolean {
  if (owned.includes('*') || owned.includes(asked)) return true;
  const slash = asked.indexOf('/');
  return slash >= 0 && owned.includes(`*${asked.slice(slash)}`);
}

/** Atoms with the same resource (and name) become one line with all their verbs; the lines are in order. */
export function describeRules(atoms: readonly PolicyRule[]): string[] {
  const merged = new Map<string, PolicyRule>();
  for (const atom of atoms) {
    const key =
      atom.nonResourceURLs.length > 0
        ? JSON.stringify(atom)
        : JSON.stringify([atom.apiGroups, atom.resources, atom.resourceNames]);
    const before = merged.get(key);
    merged.set(key, before ? { ...before, verbs: [...before.verbs, ...atom.verbs] } : atom);
  }
  return [...new Set([...merged.values()].map(ruleText))].sort();
}

/** `{APIGroups:["apps"], Resources:["deployments"], Verbs:["get" "list"]}` */
function ruleText(rule: PolicyRule): string {
  const parts = [
    ['APIGroups', rule.apiGroups],
    ['Resources', rule.resources],
    ['NonResourceURLs', rule.nonResourceURLs],
    ['ResourceNames', rule.resourceNames],
    ['Verbs', rule.verbs],
  ] as const;
  return `{${parts
    .filter(([, values]) => values.length > 0)
    .map(([name, values]) => `${name}:${quotedList(values)}`)
    .join(', ')}}`;
}

export const quotedList = (values: readonly string[]) => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;

/** Rules without those that are there already, word for word. */
export function withoutDuplicates(rules: readonly PolicyRule[]): PolicyRule[] {
  const seen = new Set<string>();
  return rules.filter((rule) => {
    const key = JSON.stringify(ruleObject(rule));
    return !seen.has(key) && seen.add(key);
  });
}
