import { describe, expect, test } from 'vitest';
import { KubeError } from '../errors.ts';
import { ConfigMap } from '../kinds/index.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { mutateOrCreate } from './mutate-or-create.ts';
import { retryOnConflict } from './retry-on-conflict.ts';

const key = { namespace: 'a', name: 'm' };
const conflict = () => new KubeError('conflict', 'it changed');

describe('retryOnConflict', () => {
  test('each try gets a fresh read', async () => {
    let version = 0;
    const seen: number[] = [];
    const result = retryOnConflict(
      async () => ++version,
      async (fresh) => {
        seen.push(fresh);
        if (fresh < 2) throw conflict();
        return 'done';
      },
      { clock: new ManualClock() },
    );
    expect(await result).toBe('done');
    expect(seen).toEqual([1, 2]);
  });

  test("after the last try the conflict is the caller's", async () => {
    const clock = new ManualClock();
    let tries = 0;
    const result = retryOnConflict(
      async () => 0,
      async () => {
        tries += 1;
        throw conflict();
      },
      { clock, attempts: 3 },
    );
    const seen = expect(result).rejects.toMatchObject({ code: 'conflict' });
    await clock.move(1_000);
    await seen;
    expect(tries).toBe(3);
    expect(clock.waiting).toBe(0);
  });

  test('other errors are not tried again', async () => {
    let tries = 0;
    const write = async () => {
      tries += 1;
      throw new KubeError('forbidden', 'no');
    };
    await expect(retryOnConflict(async () => 0, write)).rejects.toMatchObject({ code: 'forbidden' });
    expect(tries).toBe(1);
  });

  test('an abort ends the wait', async () => {
    const abort = new AbortController();
    const clock = new ManualClock();
    const result = retryOnConflict(
      async () => 0,
      async () => {
        throw conflict();
      },
      { clock, signal: abort.signal },
    );
    const seen = expect(result).rejects.toMatchObject({ code: 'aborted' });
    await clock.move(0);
    abort.abort();
    await seen;
    expect(clock.waiting).toBe(0);
  });
});

describe('mutateOrCreate', () => {
  const wants = (value: string) => (current?: object) => ({ metadata: {}, ...current, data: { value } });

  test('creates, leaves, updates', async () => {
    const client = new MemoryClient();
    const outcomes = [];
    for (const value of ['1', '1', '2'])
      outcomes.push((await mutateOrCreate(client, ConfigMap, key, wants(value))).outcome);
    expect(outcomes).toEqual(['created', 'unchanged', 'updated']);
    expect(client.calls.filter((call) => !call.startsWith('get'))).toEqual([
      'create configmaps a/m',
      'update configmaps a/m',
    ]);
    expect(client.peek(ConfigMap, key)?.data).toEqual({ value: '2' });
  });

  test('another writer in between is asked about again', async () => {
    const client = new MemoryClient();
    client.put(ConfigMap, { metadata: { ...key, uid: 'u' }, data: { other: 'x' } });
    client.before = (call) => {
      if (!call.startsWith('update')) return;
      client.before = () => {};
      client.put(ConfigMap, { metadata: { ...key, uid: 'u' }, data: { other: 'y' } });
    };
    const { object } = await mutateOrCreate(client, ConfigMap, key, (current) => ({
      metadata: {},
      ...structuredClone(current as ConfigMap | undefined),
      data: { ...current?.data, mine: '1' },
    }));
    expect(object.data).toEqual({ other: 'y', mine: '1' });
  });

  test('another creator in between is no failure', async () => {
    const client = new MemoryClient();
    client.before = (call) => {
      if (call.startsWith('create')) client.put(ConfigMap, { metadata: { ...key, uid: 'u' }, data: { value: '1' } });
    };
    expect((await mutateOrCreate(client, ConfigMap, key, wants('1'))).outcome).toBe('unchanged');
  });

  test('a deletion in between is a creation', async () => {
    const client = new MemoryClient();
    client.put(ConfigMap, { metadata: { ...key, uid: 'u' }, data: { value: '1' } });
    client.before = (call) => {
      if (call.startsWith('update')) client.objects.clear();
    };
    expect((await mutateOrCreate(client, ConfigMap, key, wants('2'))).outcome).toBe('created');
  });

  test('an endless race ends with the conflict', async () => {
    const client = new MemoryClient();
    client.put(ConfigMap, { metadata: key });
    client.before = (call) => {
      if (call.startsWith('update')) client.put(ConfigMap, { metadata: key });
    };
    await expect(mutateOrCreate(client, ConfigMap, key, wants('1'), { attempts: 3 })).rejects.toMatchObject({
      code: 'conflict',
    });
    expect(client.calls.filter((call) => call.startsWith('update'))).toHaveLength(3);
  });

  test('a missing CRD is not mistaken for a missing object', async () => {
    const client = new MemoryClient();
    client.before = () => {
      throw new KubeError('kind-not-found', 'no CRD');
    };
    await expect(mutateOrCreate(client, ConfigMap, key, wants('1'))).rejects.toMatchObject({ code: 'kind-not-found' });
    expect(client.calls).toEqual(['get configmaps a/m']);
  });

  test('an object of another name is refused before anything is written', async () => {
    const client = new MemoryClient();
    await expect(mutateOrCreate(client, ConfigMap, key, () => ({ metadata: { name: 'x' } }))).rejects.toThrow(
      'not a/m but a/x',
    );
    expect(client.objects.size).toBe(0);
  });
});
