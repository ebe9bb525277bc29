import { collectionPath, objectPath } from '@sandbank/kube';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../test/control-plane/suite.ts';
import { allKinds } from './crds.ts';
import { BatchSandbox } from './opensandbox/index.ts';
import { crdName, schemaOf } from './schema/crd.ts';
import { withDefaults } from './schema/defaults.ts';
import type { ApiKind } from './schema/kind.ts';
import { validate } from './schema/validation.ts';
import { type ApiServer, call, create, installCrds, merge, ownNamespace, read, remove } from './testing/api-server.ts';
import { arbitraryObject } from './testing/arbitrary-object.ts';
import { badObjects, objectOf, oddObjects } from './testing/bad-objects.ts';
import { exampleObjects } from './testing/example-files.ts';
import { fullObject } from './testing/full-object.ts';

const server = realApiServer();

describe.skipIf(server === null)('objects on a real API server', () => {
  const api = server as ApiServer;
  const cleanup = new AsyncDisposableStack();
  let namespace = '';

  beforeAll(async () => {
    cleanup.use(await installCrds(api, allKinds));
    namespace = cleanup.use(await ownNamespace(api)).name;
  });
  afterAll(() => cleanup.disposeAsync());

  test.each(allKinds.map((kind) => [crdName(kind), kind] as const))('every field of %s survives', async (_, kind) => {
    const full = fullObject(kind, 'full');
    expect((await create(api, kind, namespace, full)).message).toBe('');
    if (full['status']) {
      const key = { namespace: kind.namespaced ? namespace : undefined, name: 'full' };
      const written = await merge(api, objectPath(kind, key, 'status'), { status: full['status'] });
      expect(written.message).toBe('');
    }
    const { body } = await read(api, kind, namespace, 'full');
    expect(body['spec']).toEqual(full['spec']);
    expect(body['status']).toEqual(full['status']);
    if (!kind.namespaced) await remove(api, kind, '', 'full');
  });

  test.each(allKinds.map((kind) => [crdName(kind), kind] as const))(
    'an unknown field of %s is refused',
    async (_, kind) => {
      const full = fullObject(kind, 'unknown');
      const answer = await create(api, kind, namespace, {
        ...full,
        spec: { ...(full['spec'] as object), surprise: 1 },
      });
      expect(answer.code).toBe(400);
      expect(answer.message).toContain('unknown field "spec.surprise"');
    },
  );

  test.each(exampleObjects().map((example) => [example.title, example] as const))(
    '%s is taken, with the defaults that we foretell',
    async (_, { kind, object }) => {
      expect((await create(api, kind, namespace, object)).message).toBe('');
      const name = object.metadata?.name ?? '';
      const { body } = await read(api, kind, namespace, name);
      const foretold = withDefaults(kind, object as never) as unknown as Record<string, unknown>;
      expect(body['spec']).toEqual(foretold['spec']);
      expect(body['status']).toEqual(foretold['status']);
      if (!kind.namespaced) await remove(api, kind, '', name);
    },
  );

  test.each(oddObjects.map((odd, index) => [`${odd.kind.kind}: ${odd.title}`, odd, `odd-${index}`] as const))(
    'odd, but taken, with the defaults that we foretell: %s',
    async (_, { kind, spec }, name) => {
      const object = objectOf(kind, name, spec);
      expect((await create(api, kind, namespace, object)).message).toBe('');
      const { body } = await read(api, kind, namespace, name);
      expect(body['spec']).toEqual((withDefaults(kind, object as never) as unknown as Record<string, unknown>)['spec']);
    },
  );

  test.each(badObjects.map((bad) => [`${bad.kind.kind}: ${bad.title}`, bad] as const))(
    'refused, as we foretell: %s',
    async (_, { kind, spec, field, byRule }) => {
      const object = objectOf(kind, 'bad', spec);
      const answer = await create(api, kind, namespace, object);
      expect(answer.code, answer.message).toBe(422);
      expect(answer.fields).toContain(field);
      const foretold = validate(kind, object as never).map((problem) => problem.field);
      expect(foretold.toSorted()).toEqual(byRule ? [] : unique(answer.fields).filter(isField));
    },
  );

  test.each(allKinds.filter(hasNoRules).map((kind) => [crdName(kind), kind] as const))(
    'any %s that we take is taken, and filled in as we foretell',
    async (_, kind) => {
      const path = `${collectionPath(kind, namespace)}?dryRun=All&fieldValidation=Strict`;
      const property = fc.asyncProperty(arbitraryObject(kind), async (object) => {
        const { body, message } = await call(api, path, { method: 'POST', body: object });
        expect(message).toBe('');
        expect(body['spec']).toEqual(JSON.parse(JSON.stringify(withDefaults(kind, object as never)))['spec']);
      });
      await fc.assert(property, { numRuns: 15 });
    },
  );

  test('a number beyond int32 is refused; the API server does not say where, we do', async () => {
    const object = objectOf(BatchSandbox, 'large', { replicas: 2 ** 31 });
    const answer = await create(api, BatchSandbox, namespace, object);
    expect(answer).toMatchObject({ code: 422, fields: ['<nil>'] });
    expect(validate(BatchSandbox, object as never)).toMatchObject([{ field: 'spec.replicas' }]);
  });

  test('a name that is none is refused by the API server', async () => {
    const answer = await create(api, BatchSandbox, namespace, objectOf(BatchSandbox, 'Bad_Name', {}));
    expect(answer).toMatchObject({ code: 422, fields: ['metadata.name'] });
  });

  test('a null counts as absent', async () => {
    const spec = { replicas: null, template: null, pause: null, poolRef: null, taskTemplate: { spec: null } };
    const object = objectOf(BatchSandbox, 'nulls', spec);
    expect((await create(api, BatchSandbox, namespace, object)).message).toBe('');
    const { body } = await read(api, BatchSandbox, namespace, 'nulls');
    expect(body['spec']).toEqual(withDefaults(BatchSandbox, object as never).spec);
  });
});

/** Rules in CEL are beyond what objects can be made up to satisfy. */
const hasNoRules = (kind: ApiKind) => !JSON.stringify(schemaOf(kind)).includes('x-kubernetes-validations');

const unique = (fields: readonly string[]) => [...new Set(fields)].toSorted();

/** The server also says that it left rules unchecked, and complains twice about what its scale subresource reads. */
const isField = (field: string) => field !== '<nil>' && !field.startsWith('.');
