import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { type Connected, connect } from '../client/connect.ts';
import { Namespace } from '../kinds/index.ts';
import { Elector } from './elector.ts';
import { Lease } from './record.ts';

const api = realApiServer();

describe.skipIf(api === null)('leader election on a real API server', () => {
  let kube: Connected;
  let namespace = '';

  beforeAll(async () => {
    kube = await connect({ kubeconfig: api?.kubeconfig });
    namespace = (await kube.client.create(Namespace, { metadata: { generateName: 'leader-' } })).metadata?.name ?? '';
  });

  afterAll(async () => {
    await kube?.client.delete(Namespace, { name: namespace });
    await kube?.[Symbol.asyncDispose]();
  });

  const elector = (name: string, identity: string, client = kube.client) =>
    new Elector({
      client,
      lease: { namespace, name },
      identity,
      leaseDurationMs: 2000,
      renewDeadlineMs: 1000,
      retryPeriodMs: 200,
    });

  test('two candidates: one leads, and hands over when it releases', async () => {
    const { signal } = new AbortController();
    const candidates = ['a', 'b'].map(async (identity) => ({
      identity,
      leadership: await elector('two', identity).acquire(signal),
    }));
    const first = await Promise.race(candidates);
    const held = await kube.client.get(Lease, { namespace, name: 'two' });
    expect(held.spec).toMatchObject({ holderIdentity: first.identity, leaseTransitions: 0, leaseDurationSeconds: 2 });
    await first.leadership.release();
    const second = (await Promise.all(candidates)).find(({ identity }) => identity !== first.identity);
    expect(first.leadership.signal.aborted).toBe(true);
    expect(second?.leadership.signal.aborted).toBe(false);
    const taken = await kube.client.get(Lease, { namespace, name: 'two' });
    expect(taken.spec).toMatchObject({ holderIdentity: second?.identity, leaseTransitions: 1 });
    await second?.leadership.release();
  });

  test('a leader that is cut off has stopped by the time the other begins', async () => {
    const cutOff = await connect({ kubeconfig: api?.kubeconfig });
    const { signal } = new AbortController();
    const leadership = await elector('cut', 'a', cutOff.client).acquire(signal);
    const next = elector('cut', 'b').acquire(signal);
    await cutOff[Symbol.asyncDispose]();
    const taken = await next;
    expect(leadership.signal.aborted).toBe(true);
    expect(leadership.signal.reason).toMatchObject({ code: 'timeout' });
    await taken.release();
  });
});
