/** CRDs that the real API server takes or refuses, and our own kinds on it and here. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { allKinds } from '../../packages/api/crds.ts';
import { badObjects, objectOf, oddObjects } from '../../packages/api/testing/bad-objects.ts';
import { fullObject } from '../../packages/api/testing/full-object.ts';
import { defaultCrd } from '../../packages/cluster/apiserver/crd/defaults.ts';
import { resourcesOfCrd } from '../../packages/cluster/apiserver/crd/resources.ts';
import { badCrds } from '../../packages/cluster/apiserver/crd/testing/bad-crds.ts';
import { validateCrd } from '../../packages/cluster/apiserver/crd/validate.ts';
import { applyDefaults } from '../../packages/cluster/apiserver/schema/defaults.ts';
import { prune } from '../../packages/cluster/apiserver/schema/prune.ts';
import type { Json, JsonObject, Structural } from '../../packages/cluster/apiserver/schema/structural.ts';
import { causesOf, crdOf, RealServer, sorted } from '../../packages/cluster/apiserver/schema/testing/real-kind.ts';
import { validateSchema } from '../../packages/cluster/apiserver/schema/validate.ts';
import { realApiServer } from '../control-plane/suite.ts';

const api = realApiServer();
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const folder = join(import.meta.dirname, '../../deploy/crds');
const shipped = readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')) as JsonObject);
const resources = new Map(
  shipped.flatMap((crd) => {
    const copy = structuredClone(crd);
    defaultCrd(copy);
    return resourcesOfCrd(copy).map((one) => [`${one.group}/${one.kind}`, one] as const);
  }),
);

describe.skipIf(api === null)('CRDs as the real API server judges them', () => {
  let server: RealServer;
  beforeAll(() => {
    server = new RealServer(api ?? { url: '', ca: '', token: '' });
  });
  afterAll(() => server?.close());

  test.each(badCrds)('$title', async ({ crd, isLoose }) => {
    const answer = await server.call('POST', `${CRDS}?dryRun=All`, crd);
    const ours = structuredClone(crd);
    defaultCrd(ours);
    const errors = sorted(validateCrd(ours));
    if (isLoose)
      expect([...new Set(errors.map(({ field }) => field))]).toEqual([
        ...new Set(causesOf(answer).map(({ field }) => field)),
      ]);
    else expect(errors).toEqual(causesOf(answer));
  });

  test('defaults', async () => {
    const crd = crdOf('defaults.test', 'cases', { type: 'object' });
    const spec = crd['spec'] as { names: JsonObject };
    spec.names = { plural: 'cases', kind: 'Case' };
    const answer = await server.call('POST', `${CRDS}?dryRun=All`, crd);
    defaultCrd(crd);
    expect(crd['spec']).toEqual(answer.body['spec']);
    expect((crd['status'] as JsonObject)['storedVersions']).toEqual(
      (answer.body['status'] as JsonObject)['storedVersions'],
    );
  });

  describe('our own kinds', () => {
    beforeAll(async () => {
      for (const crd of shipped) {
        const answer = await server.call('POST', CRDS, crd);
        expect([201, 409]).toContain(answer.code);
      }
      await server.call('POST', '/api/v1/namespaces', { metadata: { name: 'crd-cases' } } as JsonObject);
      for (const { group, version, plural } of resources.values())
        while ((await server.call('GET', `/apis/${group}/${version}/${plural}`)).code !== 200) await delay(50);
    });
    afterAll(async () => {
      for (const crd of shipped) await server.call('DELETE', `${CRDS}/${(crd['metadata'] as JsonObject)['name']}`);
      await server.call('DELETE', '/api/v1/namespaces/crd-cases');
    });

    test.each(shipped.map((crd) => [(crd['metadata'] as JsonObject)['name'], crd] as const))(
      '%s is accepted',
      (_, crd) => {
        const copy = structuredClone(crd);
        defaultCrd(copy);
        expect(validateCrd(copy)).toEqual([]);
      },
    );

    async function compare(group: string, kind: string, object: JsonObject): Promise<void> {
      const resource = resources.get(`${group}/${kind}`);
      if (!resource) throw new Error(`no CRD for ${group}/${kind}`);
      const scope = resource.namespaced ? 'namespaces/crd-cases/' : '';
      const path = `/apis/${group}/${resource.version}/${scope}${resource.plural}?dryRun=All`;
      const answer = await server.call('POST', path, object);
      const given = structuredClone(object);
      resource.strategy.prepareCreate?.(given, {
        now: new Date(0),
        dryRun: true,
        user: { name: '', groups: [] },
        warn: () => {},
      });
      const ours = applyDefaults(prune(given, resource.schema).value, resource.schema);
      const errors = [...validateSchema(ours, resource.schema), ...(resource.strategy.validateCreate?.(ours) ?? [])];
      expect(sorted(errors)).toEqual(causesOf(answer));
      if (answer.code === 201) expect(ours['spec']).toEqual(answer.body['spec']);
      else expect(answer.code).toBe(422);
    }

    test.each([...badObjects, ...oddObjects].map((one) => [`${one.kind.kind}: ${one.title}`, one] as const))(
      '%s',
      (_, { kind, spec }) => compare(kind.group, kind.kind, objectOf(kind, 'case', spec) as JsonObject),
    );
    test.each(allKinds.map((kind) => [kind.kind, kind] as const))('a full %s', (_, kind) =>
      compare(kind.group, kind.kind, fullObject(kind, 'full') as unknown as JsonObject),
    );

    test.each([
      ['nothing unknown', { replicas: 1 }],
      ['unknown fields', { replicas: 1, zzz: 1, aaa: { b: 1 }, template: { spec: { containers: [], nope: 1 } } }],
      [
        'unknown fields in a list',
        {
          replicas: 1,
          taskTemplate: { spec: { process: { command: ['a'], env: [{ name: 'a', value: 'b', huh: 1 }] } } },
        },
      ],
    ])('strict decoding: %s', async (_, spec) => {
      const resource = resources.get('sandbox.opensandbox.io/BatchSandbox');
      const object: JsonObject = {
        apiVersion: 'sandbox.opensandbox.io/v1alpha1',
        kind: 'BatchSandbox',
        metadata: { name: 'strict', whatever: 1 },
        spec: spec as Json as JsonObject,
      };
      const path = '/apis/sandbox.opensandbox.io/v1alpha1/namespaces/crd-cases/batchsandboxes';
      const answer = await server.call('POST', `${path}?dryRun=All&fieldValidation=Warn`, object);
      const { unknown } = prune(object, resource?.schema as Structural);
      expect(unknown.map((field) => `unknown field "${field}"`).sort()).toEqual([...answer.warnings].sort());
    });
  });
});
