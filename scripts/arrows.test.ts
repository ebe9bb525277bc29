import { describe, expect, test } from 'vitest';
import { brokenArrows, importsOf } from './arrows.ts';

const declared = { api: ['@sandbank/kube'], cluster: [], kube: [], runtime: [] };
const check = (path: string, ...imports: string[]) => brokenArrows([{ path, imports }], declared);

describe('imports are found', () => {
  test.each([
    [`import { a } from './a.ts';`, ['./a.ts']],
    [`import type { A,\n  B } from '@sandbank/kube';`, ['@sandbank/kube']],
    [`import * as x from "node:fs"`, ['node:fs']],
    [`import './side-effect.ts';`, ['./side-effect.ts']],
    [`export * from './b.ts';\nexport { c } from './c.ts';`, ['./b.ts', './c.ts']],
    [`const m = await import('./lazy.ts');`, ['./lazy.ts']],
    [`const text = 'important';`, []],
  ])('%s', (source, want) => expect(importsOf(source)).toEqual(want));
});

describe('arrows', () => {
  test('the way that is drawn is allowed', () => {
    expect(check('packages/api/pool.ts', '@sandbank/kube', '@sandbank/kube/kinds', './x.ts', 'typebox')).toEqual([]);
  });
  test.each([
    ['a reversed arrow', 'packages/kube/a.ts', '@sandbank/api', /kube may not import api/],
    ['what runs inside a sandbox imports nothing of ours', 'packages/runtime/a.ts', '@sandbank/kube', /allowed: none/],
    ['an undeclared dependency', 'packages/cluster/a.ts', '@sandbank/kube', /does not declare it/],
    ['a relative path into another package', 'packages/api/a.ts', '../kube/index.ts', /leaves packages\/api/],
    ['a room that is not drawn', 'packages/attic/a.ts', 'node:fs', /not a room/],
  ])('%s is named', (_, path, specifier, want) => {
    const broken = check(path, specifier);
    expect(broken).toHaveLength(1);
    expect(broken[0]).toMatch(want);
  });
  test('only tests may use the shared fixtures', () => {
    expect(check('packages/kube/a.test.ts', '../../test/control-plane/index.ts')).toEqual([]);
    expect(check('packages/kube/a.ts', '../../test/control-plane/index.ts')).toHaveLength(1);
  });
});
