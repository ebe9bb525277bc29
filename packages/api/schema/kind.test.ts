import { type Kind, type ObjectMeta, type ObjectOf, objectPath } from '@sandbank/kube';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { type SandboxClaim, SandboxTemplate } from '../kruise/index.ts';
import { SandboxTemplate as ClusterTemplate } from '../navix/index.ts';
import { type BatchSandbox, Pool } from '../opensandbox/index.ts';
import { withDefaults } from './defaults.ts';
import type { InputOf } from './kind.ts';

describe('a kind', () => {
  test('is the key for client and cache', () => {
    expectTypeOf(Pool).toExtend<Kind<Pool>>();
    expectTypeOf<ObjectOf<typeof Pool>>().toEqualTypeOf<Pool>();
    expect(objectPath(Pool, { namespace: 'ns', name: 'warm' }, 'status')).toBe(
      '/apis/sandbox.opensandbox.io/v1alpha1/namespaces/ns/pools/warm/status',
    );
    expect(objectPath(ClusterTemplate, { name: 'py' })).toBe('/apis/agents.navix.sh/v1alpha1/sandboxtemplates/py');
  });

  test('cannot be changed', () => {
    expect(Object.isFrozen(Pool)).toBe(true);
  });
});

describe('the type of a kind', () => {
  test('has defaulted fields for those who read, and asks for none of them from those who write', () => {
    expectTypeOf<BatchSandbox['spec']['replicas']>().toEqualTypeOf<number>();
    expectTypeOf<InputOf<typeof BatchSandbox>['spec']['replicas']>().toEqualTypeOf<number | undefined>();
    expectTypeOf<{ metadata: ObjectMeta; spec: { templateName: string } }>().toExtend<InputOf<typeof SandboxClaim>>();
    expectTypeOf<{ metadata: ObjectMeta; spec: object }>().not.toExtend<InputOf<typeof SandboxClaim>>();
    expectTypeOf(withDefaults(Pool, {} as InputOf<typeof Pool>)).toEqualTypeOf<Pool>();
  });

  test('knows words, maps, free forms and lists', () => {
    expectTypeOf<NonNullable<Pool['spec']['recycleStrategy']>['type']>().toEqualTypeOf<'Delete' | 'Restart' | 'Noop'>();
    expectTypeOf<SandboxClaim['spec']['labels']>().toEqualTypeOf<Record<string, string> | undefined>();
    expectTypeOf<Pool['spec']['scaleStrategy']>().toEqualTypeOf<{ maxUnavailable?: number | string } | undefined>();
    expectTypeOf<NonNullable<BatchSandbox['status']>['conditions']>().items.toHaveProperty('type');
    expectTypeOf<BatchSandbox['spec']['shardPatches']>().toEqualTypeOf<unknown[] | undefined>();
  });

  test('tells the two kinds of one name apart', () => {
    expectTypeOf<SandboxTemplate['spec']>().not.toHaveProperty('version');
    expectTypeOf<ClusterTemplate['spec']>().toHaveProperty('version');
    expect(SandboxTemplate.namespaced).toBe(true);
    expect(ClusterTemplate.namespaced).toBe(false);
  });
});
