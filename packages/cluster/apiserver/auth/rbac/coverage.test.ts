import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atomsOf, describeRules, uncovered } from './coverage.ts';
import { asking } from './rbac.ts';
import { type PolicyRule, ruleAllows } from './rules.ts';

const rule = (groups: string, resources: string, verbs: string, names = ''): PolicyRule => ({
  apiGroups: groups.split(','),
  resources: resources.split(','),
  verbs: verbs.split(','),
  resourceNames: names === '' ? [] : names.split(','),
  nonResourceURLs: [],
});
const path = (url: string, verbs: string): PolicyRule => ({
  apiGroups: [],
  resources: [],
  resourceNames: [],
  nonResourceURLs: [url],
  verbs: verbs.split(','),
});

describe('what one has covers what one gives', () => {
  const cases: [PolicyRule[], PolicyRule, string[]][] = [
    [[rule('', 'pods', 'get,list')], rule('', 'pods', 'get'), []],
    [[rule('', 'pods', 'get'), rule('', 'pods', 'list')], rule('', 'pods', 'get,list'), []],
    [[rule('', 'pods', 'get')], rule('', 'pods', '*'), ['{APIGroups:[""], Resources:["pods"], Verbs:["*"]}']],
    [[rule('', 'pods', '*')], rule('', 'pods', 'get'), []],
    [[rule('', 'pods', 'get', 'a')], rule('', 'pods', 'get'), ['{APIGroups:[""], Resources:["pods"], Verbs:["get"]}']],
    [[rule('', 'pods', 'get', 'a,b')], rule('', 'pods', 'get', 'b'), []],
    [[rule('', 'pods', 'get')], rule('', 'pods', 'get', 'b'), []],
    [[rule('', '*/scale', 'get')], rule('', 'pods/scale', 'get'), []],
    [[rule('', '*', 'get')], rule('', '*/scale', 'get'), []],
    [[rule('', '*/scale', 'get')], rule('', '*', 'get'), ['{APIGroups:[""], Resources:["*"], Verbs:["get"]}']],
    [[path('/a/*', 'get')], path('/a/b', 'get'), []],
    [[path('/a/*', 'get')], path('/a/b/*', 'get'), []],
    [[path('/a/b', 'get')], path('/a/*', 'get'), ['{NonResourceURLs:["/a/*"], Verbs:["get"]}']],
    [[rule('*', '*', '*')], path('/a', 'get'), ['{NonResourceURLs:["/a"], Verbs:["get"]}']],
    [[], rule('', 'pods', 'get,list'), ['{APIGroups:[""], Resources:["pods"], Verbs:["get" "list"]}']],
  ];
  test.each(cases)('%j gives %j, lacking %j', (owned, asked, lacking) => {
    expect(describeRules(uncovered(owned, [asked]))).toEqual(lacking);
  });
});

test('property: what is covered allows nothing that its owner may not do', () => {
  const some = (...items: string[]) => fc.subarray(items, { minLength: 1 });
  const rules = fc.array(
    fc.record({
      apiGroups: some('', 'apps', '*'),
      resources: some('pods', 'pods/exec', '*/exec', '*', 'secrets'),
      verbs: some('get', 'list', '*'),
      resourceNames: fc.subarray(['x', 'y']),
      nonResourceURLs: fc.constant<string[]>([]),
    }),
    { minLength: 1, maxLength: 4 },
  );
  const request = fc
    .record({
      verb: fc.constantFrom('get', 'list', 'delete'),
      group: fc.constantFrom('', 'apps', 'z'),
      resource: fc.constantFrom('pods', 'secrets', 'nodes'),
      subresource: fc.constantFrom('', 'exec', 'log'),
      name: fc.constantFrom('', 'x', 'z'),
    })
    .map((about) => asking({ name: 'a', groups: [] }, about));
  fc.assert(
    fc.property(rules, rules, fc.array(request, { minLength: 5 }), (owned, asked, requests) => {
      const lacking = new Set(uncovered(owned, asked).map((atom) => JSON.stringify(atom)));
      const granted = asked.flatMap(atomsOf).filter((atom) => !lacking.has(JSON.stringify(atom)));
      for (const one of requests) {
        if (granted.some((atom) => ruleAllows(atom, one))) expect(owned.some((own) => ruleAllows(own, one))).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});
