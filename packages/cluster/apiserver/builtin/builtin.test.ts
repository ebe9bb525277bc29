import { beforeEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../schema/structural.ts';
import { decode } from './decoding/decode.ts';
import { humanDuration } from './duration.ts';
import { pullPolicyOf } from './pods/defaults.ts';
import { podStrategy } from './pods/strategy.ts';
import { builtinResources } from './resources.ts';
import { serviceAddresses } from './services/addresses.ts';
import { kindCases } from './testing/kind-cases.fixture.ts';
import { type OurServer, ourServer } from './testing/ours.fixture.ts';
import { podCases } from './testing/pod-cases.fixture.ts';
import { views } from './views.ts';

test.each([
  [-5, '<invalid>'],
  [0, '0s'],
  [119, '119s'],
  [120, '2m'],
  [121, '2m1s'],
  [599, '9m59s'],
  [600, '10m'],
  [10_799, '179m'],
  [10_800, '3h'],
  [11_000, '3h3m'],
  [28_800, '8h'],
  [172_799, '47h'],
  [172_800, '2d'],
  [180_000, '2d2h'],
  [691_200, '8d'],
  [63_072_000, '2y'],
  [70_000_000, '2y80d'],
  [252_288_000, '8y'],
])('%d seconds are shown as %s', (seconds, shown) => expect(humanDuration(seconds)).toBe(shown));

test.each([
  ['a', 'Always'],
  ['a:latest', 'Always'],
  ['a:1', 'IfNotPresent'],
  ['r:5000/a', 'Always'],
  ['r:5000/a:1', 'IfNotPresent'],
  ['a@sha256:00', 'IfNotPresent'],
] as const)('image %s is pulled %s', (image, policy) => expect(pullPolicyOf(image)).toBe(policy));

test('every kind has a table whose rows fit its columns, and a strategy that survives an empty object', () => {
  for (const { table, strategy, kind } of builtinResources()) {
    const object: JsonObject = { metadata: { name: 'x' } };
    strategy.applyDefaults?.(object);
    expect(table.row(object, new Date()), kind).toBeInstanceOf(Array);
    strategy.validateCreate?.(object);
    strategy.validateUpdate?.(object, object);
  }
});

test('decoding copies, and leaves what it was given alone', () => {
  const given = { spec: { containers: [{ name: 'a', resources: { limits: { cpu: 1 } } }], nodeSelector: null } };
  const before = structuredClone(given);
  const decoded = decode(given, 'io.k8s.api.core.v1.Pod', { kind: 'Pod', version: 'v1' });
  expect(given).toEqual(before);
  expect(decoded).toEqual({ spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1' } } }] } });
});

describe('the grace of a pod', () => {
  const grace = (pod: JsonObject) => podStrategy.defaultGracePeriodSeconds?.(pod);
  test('is its own', () => expect(grace({ spec: { nodeName: 'n', terminationGracePeriodSeconds: 7 } })).toBe(7));
  test('is nothing where it runs nowhere', () => expect(grace({ spec: { terminationGracePeriodSeconds: 7 } })).toBe(0));
  test('is nothing when it has ended', () =>
    expect(grace({ spec: { nodeName: 'n' }, status: { phase: 'Failed' } })).toBe(0));
});

describe('service addresses', () => {
  const services: JsonObject[] = [];
  const made = (size: number) =>
    serviceAddresses({
      lookup: { get: () => undefined, list: () => services },
      random: () => 0.99,
      now: () => new Date(0),
      size,
    });
  beforeEach(() => {
    services.length = 0;
  });

  test('two creates on their way never get the same one', () => {
    const addresses = made(16);
    const all = Array.from({ length: 13 }, () => addresses.allocate());
    expect(new Set(all).size).toBe(13);
    expect(addresses.allocate()).toBeUndefined();
  });
  test('one that is taken, reserved or outside cannot be claimed', () => {
    services.push({ metadata: { name: 's' }, spec: { clusterIPs: ['10.96.0.5'], ports: [{ nodePort: 30_001 }] } });
    const addresses = made(65_536);
    expect(addresses.claim('10.96.0.5')).toBe('taken');
    expect(addresses.claim('10.97.0.5')).toBe('outside');
    expect(addresses.claim('10.96.0.6')).toBe('ok');
    expect(addresses.claim('10.96.0.6')).toBe('taken');
    expect(addresses.claimNodePort(30_001)).toBe('taken');
    expect(addresses.claimNodePort(80)).toBe('outside');
  });
});

test.each([...views])('the view %s goes there and back', (_, view) => {
  const stored = view.toStorage({
    apiVersion: 'x',
    kind: 'y',
    metadata: { name: 'n' },
    spec: { targetCPUUtilizationPercentage: 5 },
    note: 'n',
    status: { currentReplicas: 1 },
  });
  expect(view.fromStorage(stored)).toMatchObject({ metadata: { name: 'n' }, note: 'n' });
});

describe('without a real server', () => {
  let server: OurServer;
  beforeEach(async () => {
    server = await ourServer();
  });
  test('every case is answered by an object or by a refusal with a code', async () => {
    for (const one of [...podCases, ...kindCases]) {
      const outcome = await server.run(one);
      if ('status' in outcome) expect([400, 403, 404, 422], one.name).toContain(outcome.status['code']);
      else expect(outcome.object['metadata'], one.name).toBeDefined();
    }
  });
  test('a namespace stays until its finalizer is gone', () => {
    const { strategy } = server.resource('v1/namespaces');
    expect(strategy.isHeld?.({ spec: { finalizers: ['kubernetes'] } })).toBe(true);
    expect(strategy.isHeld?.({ spec: {} })).toBe(false);
    expect(strategy.markDeleted?.({ status: { phase: 'Active' } })).toEqual({ status: { phase: 'Terminating' } });
  });
});
