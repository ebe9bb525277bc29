import { expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { isNotFound } from '../errors.ts';
import { addFinalizerPatch, removeFinalizerPatch } from '../finalizers.ts';
import { ConfigMap, Secret } from '../kinds/index.ts';
import { controllerOf, withController } from '../owners.ts';
import { describeReal } from '../testing/real-client.ts';
import { mutateOrCreate } from './mutate-or-create.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

describeReal(realApiServer(), 'writers', (server) => {
  test('mutateOrCreate creates, leaves alone, updates', async () => {
    const { client, namespace } = server();
    const key = { namespace, name: 'mutated' };
    const set = (value: string) =>
      mutateOrCreate(
        client,
        ConfigMap,
        key,
        (current) =>
          ({
            metadata: { labels: {} },
            ...(structuredClone(current) as ConfigMap),
            data: { value },
          }) as ConfigMap & { metadata: object },
      );
    const created = await set('1');
    const same = await set('1');
    const updated = await set('2');
    expect([created.outcome, same.outcome, updated.outcome]).toEqual(['created', 'unchanged', 'updated']);
    expect(same.object.metadata?.resourceVersion).toBe(created.object.metadata?.resourceVersion);
    expect((await client.get(ConfigMap, key)).data).toEqual({ value: '2' });
  });

  test('many writers at once all get their turn', async () => {
    const { client, namespace } = server();
    const key = { namespace, name: 'counter' };
    await client.create(ConfigMap, { metadata: key, data: { count: '0' } });
    const increment = () =>
      retryOnConflict(
        () => client.get(ConfigMap, key),
        (fresh) =>
          client.update(ConfigMap, {
            ...fresh,
            metadata: { ...fresh.metadata },
            data: { count: `${Number(fresh.data?.['count']) + 1}` },
          }),
        { attempts: 50 },
      );
    await Promise.all(Array.from({ length: 8 }, increment));
    expect((await client.get(ConfigMap, key)).data).toEqual({ count: '8' });
  });

  test('finalizers hold an object, and a stale patch is a conflict', async () => {
    const { client, namespace } = server();
    const key = { namespace, name: 'held' };
    const made = await client.create(ConfigMap, { metadata: { ...key, finalizers: ['test.io/first'] } });
    const held = await client.patch(ConfigMap, key, addFinalizerPatch(made, 'test.io/second') ?? { merge: {} });
    expect(held.metadata?.finalizers).toEqual(['test.io/first', 'test.io/second']);
    await expect(
      client.patch(ConfigMap, key, removeFinalizerPatch(made, 'test.io/first') ?? { merge: {} }),
    ).rejects.toMatchObject({ code: 'conflict' });
    let waiting = await client.delete(ConfigMap, key);
    expect(waiting?.metadata?.deletionTimestamp).toBeDefined();
    for (const finalizer of ['test.io/first', 'test.io/second']) {
      waiting = await client.patch(ConfigMap, key, removeFinalizerPatch(waiting ?? made, finalizer) ?? { merge: {} });
    }
    await expect(client.get(ConfigMap, key)).rejects.toSatisfy(isNotFound);
  });

  test('an owned object goes with its owner', async () => {
    const { client, namespace } = server();
    const owner = await client.create(ConfigMap, { metadata: { namespace, name: 'owner' } });
    const owned = await client.create(
      Secret,
      withController({ metadata: { namespace, name: 'owned' } }, ConfigMap, owner),
    );
    expect(controllerOf(owned)?.uid).toBe(owner.metadata?.uid);
    const gone = (async () => {
      const fieldSelector = 'metadata.name=owned';
      const resourceVersion = owned.metadata?.resourceVersion;
      for await (const event of client.watch(Secret, { namespace, fieldSelector, resourceVersion })) {
        if (event.type === 'DELETED') return event.object.metadata?.name;
      }
      return undefined;
    })();
    await client.delete(ConfigMap, { namespace, name: 'owner' }, { propagation: 'Background' });
    expect(await gone).toBe('owned');
  });
});
