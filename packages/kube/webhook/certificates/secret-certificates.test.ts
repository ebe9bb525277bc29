import { expect, test } from 'vitest';
import { KubeError } from '../../errors.ts';
import { Secret } from '../../kinds/index.ts';
import { ManualClock, settle } from '../../testing/manual-clock.ts';
import { MemoryClient } from '../../testing/memory-client.ts';
import { SecretCertificates } from './secret-certificates.ts';
import type { KeyPair } from './source.ts';

const day = 24 * 60 * 60_000;
const secret = { namespace: 'a', name: 'certificates' };

function replica(client: MemoryClient, clock: ManualClock) {
  const seen: KeyPair[] = [];
  const errors: unknown[] = [];
  const certificates = new SecretCertificates({
    client,
    secret,
    clock,
    names: ['w.a.svc'],
    onError: (error) => errors.push(error),
  });
  certificates.onChange((pair) => seen.push(pair));
  return { certificates, seen, errors };
}

/** Keys are made by threads, which no clock waits for. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

test('replicas that start at once agree, though both find nothing', async () => {
  const client = new MemoryClient();
  const clock = new ManualClock();
  const [a, b] = [replica(client, clock), replica(client, clock)];
  const [one, two] = await Promise.all([a.certificates.start(), b.certificates.start()]);
  expect(one).toEqual(two);
  expect(client.calls.filter((call) => call.startsWith('create')).length).toBeGreaterThan(1);
});

test('what one renews, the other serves after its next look', async () => {
  const client = new MemoryClient();
  const clock = new ManualClock();
  const [a, b] = [replica(client, clock), replica(client, clock)];
  const first = await a.certificates.start();
  await b.certificates.start();
  await clock.move(29_000);
  await a.certificates.close();
  // The renewal happens in another replica, at a later time of its own.
  const later = replica(client, new ManualClock(clock.now() + 61 * day));
  const renewed = await later.certificates.start();
  expect(renewed).not.toEqual(first);
  await clock.move(1_000);
  await until(() => b.seen.length > 0);
  expect(b.seen).toEqual([renewed]);
  expect(a.seen).toEqual([]);
});

test('a look that fails is told, the pair stays, and the next look is made', async () => {
  const client = new MemoryClient();
  const clock = new ManualClock();
  const { certificates, seen, errors } = replica(client, clock);
  await certificates.start();
  client.before = () => {
    throw new KubeError('unreachable', 'away');
  };
  await clock.move(30_000);
  await until(() => errors.length === 1);
  client.before = () => {};
  const looks = client.calls.length;
  await clock.move(30_000);
  await until(() => client.calls.length > looks);
  expect(seen).toEqual([]);
  expect(errors).toEqual([expect.objectContaining({ code: 'unreachable' })]);
  await certificates.close();
  expect(clock.waiting).toBe(0);
});

test('a start that cannot read the Secret says so', async () => {
  const client = new MemoryClient();
  client.before = () => {
    throw new KubeError('forbidden', 'RBAC does not allow to get secrets');
  };
  await expect(replica(client, new ManualClock()).certificates.start()).rejects.toMatchObject({ code: 'forbidden' });
});

test('a Secret that another program keeps changing is given up with a reason', async () => {
  const client = new MemoryClient();
  client.before = (call) => {
    if (!call.startsWith('get')) client.put(Secret, { metadata: secret, data: {} });
  };
  await expect(replica(client, new ManualClock()).certificates.start()).rejects.toThrow(
    'does another program write it?',
  );
});

test('other keys of the Secret are kept', async () => {
  const client = new MemoryClient();
  client.put(Secret, { metadata: secret, data: { mine: 'eA==' } });
  await replica(client, new ManualClock()).certificates.start();
  expect(client.peek(Secret, secret)?.data).toMatchObject({ mine: 'eA==', 'tls.crt': expect.any(String) });
});
