import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allKinds } from '../crds.ts';
import { Commit, Sandbox, SandboxClaim } from '../kruise/index.ts';
import { SandboxEnv } from '../navix/index.ts';
import { BatchSandbox, Pool } from '../opensandbox/index.ts';
import { arbitraryObject } from '../testing/arbitrary-object.ts';
import { crdName } from './crd.ts';
import { withDefaults } from './defaults.ts';
import { validate } from './validation.ts';

const metadata = { name: 'x' };
const capacitySpec = { bufferMax: 1, bufferMin: 1, poolMax: 1, poolMin: 1 };

describe('withDefaults', () => {
  test('fills in what is absent', () => {
    expect(withDefaults(BatchSandbox, { metadata, spec: {} }).spec).toEqual({
      replicas: 1,
      taskResourcePolicyWhenCompleted: 'Retain',
    });
    expect(withDefaults(SandboxClaim, { metadata, spec: { templateName: 'set' } }).spec).toEqual({
      templateName: 'set',
      replicas: 1,
      claimTimeout: '1m',
      ttlAfterCompleted: '60m',
      createOnNoStock: true,
      waitReadyTimeout: '30s',
      skipInitRuntime: false,
    });
  });

  test('keeps what is there, also what is false, zero or empty', () => {
    const spec = { templateName: 'set', replicas: 3, createOnNoStock: false, claimTimeout: '' };
    expect(withDefaults(SandboxClaim, { metadata, spec }).spec).toMatchObject(spec);
    expect(withDefaults(BatchSandbox, { metadata, spec: { replicas: 0 } }).spec.replicas).toBe(0);
  });

  test('fills an object only when it is there', () => {
    expect(withDefaults(Pool, { metadata, spec: { capacitySpec } }).spec).toEqual({ capacitySpec });
    expect(withDefaults(Pool, { metadata, spec: { capacitySpec, recycleStrategy: {} } }).spec.recycleStrategy).toEqual({
      type: 'Delete',
    });
    const hooks = withDefaults(Sandbox, { metadata, spec: { lifecycle: { preUpgrade: {} } } }).spec.lifecycle;
    expect(hooks).toEqual({ preUpgrade: { timeoutSeconds: 60 } });
  });

  test('fills defaults that are objects further', () => {
    const env = withDefaults(SandboxEnv, {
      metadata,
      spec: {
        templateRef: { name: 't' },
        autoscaling: { groups: [{ name: 'g', scaleDownPolicy: { idleTimeoutSeconds: 1 } }] },
      },
    });
    expect(env.spec.autoscaling?.groups).toEqual([
      {
        name: 'g',
        enabled: false,
        minReplicas: 0,
        scaleUpPolicy: {
          mode: 'Default',
          cooldownSeconds: 30,
          idleThresholdSeconds: 30,
          idleZeroQuietWindowSeconds: 300,
          saturationCooldownSeconds: 60,
        },
        scaleDownPolicy: { idleTimeoutSeconds: 1, stabilizationSeconds: 60, protectionWindowSeconds: 10 },
      },
    ]);
  });

  test('gives a status to a kind whose status has a default', () => {
    const spec = { podName: 'p', containerName: 'c', image: 'i' };
    expect(withDefaults(Commit, { metadata, spec }).status).toEqual({ phase: 'Pending' });
  });

  test('takes a null for nothing, but not inside what is free-form', () => {
    const object = { metadata, spec: { replicas: null, template: null, taskTemplate: { spec: null } } };
    expect(withDefaults(BatchSandbox, object as never).spec).toEqual({
      replicas: 1,
      taskTemplate: { spec: null },
      taskResourcePolicyWhenCompleted: 'Retain',
    });
  });

  test('does not change or share what was passed in', () => {
    const object = Object.freeze({
      metadata,
      spec: Object.freeze({ capacitySpec, recycleStrategy: Object.freeze({}) }),
    });
    expect(withDefaults(Pool, object)).not.toBe(object);
    const group = () =>
      withDefaults(SandboxEnv, {
        metadata,
        spec: { templateRef: { name: 't' }, autoscaling: { groups: [{ name: 'g' }] } },
      }).spec.autoscaling?.groups?.[0]?.scaleUpPolicy;
    expect(group()).not.toBe(group());
  });

  test('does not touch what lies on the prototype', () => {
    const spec = JSON.parse('{"templateName":"x","labels":{"__proto__":"a","constructor":"b"}}');
    const { labels } = withDefaults(SandboxClaim, { metadata, spec }).spec;
    expect(JSON.stringify(labels)).toBe('{"__proto__":"a","constructor":"b"}');
  });
});

describe.each(allKinds.map((kind) => [crdName(kind), kind] as const))('any %s', (_, kind) => {
  test('that its schema allows is valid, and so it stays once filled in', () => {
    fc.assert(
      fc.property(arbitraryObject(kind), (object) => {
        const before = JSON.stringify(object);
        expect(validate(kind, object as never)).toEqual([]);
        const once = withDefaults(kind, object as never);
        expect(withDefaults(kind, once as never)).toEqual(once);
        expect(validate(kind, once as never)).toEqual([]);
        expect(JSON.stringify(object)).toBe(before);
      }),
      { numRuns: 25 },
    );
  });
});
