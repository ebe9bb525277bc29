import { describe, expect, test } from 'vitest';
import { KubeError } from '../errors.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { Elector, type Leadership } from './elector.ts';
import { Lease } from './record.ts';

const lease = { namespace: 'system', name: 'operator' };

/** A candidate with a clock of its own, which may be wrong, and a connection that may be cut. */
function candidate(api: MemoryClient, identity: string, clock: ManualClock) {
  const line = { cut: undefined as 'fails' | 'hangs' | undefined };
  const client = new Proxy(api, {
    get(target, property) {
      const method = Reflect.get(target, property) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        if (line.cut === 'fails') return Promise.reject(new KubeError('unreachable', 'no route'));
        if (line.cut === 'hangs') return new Promise(() => {});
        return (method as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  const errors: unknown[] = [];
  const elector = new Elector({
    client,
    lease,
    identity,
    clock,
    random: () => 0,
    onError: (error) => errors.push(error),
  });
  const abort = new AbortController();
  const state = { leadership: undefined as Leadership | undefined };
  void elector.acquire(abort.signal).then(
    (leadership) => {
      state.leadership = leadership;
    },
    () => {},
  );
  const leads = () => state.leadership !== undefined && !state.leadership.signal.aborted;
  return { elector, line, errors, abort, state, leads };
}

const spec = (api: MemoryClient) => api.peek(Lease, lease)?.spec;

describe('leader election', () => {
  test('the first takes the Lease and renews it, the second waits', async () => {
    const api = new MemoryClient();
    const clock = new ManualClock();
    const a = candidate(api, 'a', clock);
    await settle();
    const b = candidate(api, 'b', clock);
    await clock.move(60_000);
    expect([a.leads(), b.leads()]).toEqual([true, false]);
    expect(b.elector.leader).toBe('a');
    expect(spec(api)).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 });
    expect(Date.parse(spec(api)?.renewTime ?? '')).toBeGreaterThan(clock.now() - 3000);
    expect(spec(api)?.renewTime).toMatch(/\.\d{6}Z$/);
    await a.state.leadership?.release();
    b.abort.abort();
  });

  test('a release hands over without waiting for the duration', async () => {
    const api = new MemoryClient();
    const clock = new ManualClock();
    const a = candidate(api, 'a', clock);
    await settle();
    const b = candidate(api, 'b', clock);
    await clock.move(4000);
    await a.state.leadership?.release();
    expect(a.leads()).toBe(false);
    expect(spec(api)?.holderIdentity).toBe('');
    await clock.move(2000);
    expect(b.leads()).toBe(true);
    expect(spec(api)?.leaseTransitions).toBe(1);
    await b.state.leadership?.release();
  });

  test.each(['fails', 'hangs'] as const)(
    'a leader whose connection %s stops by itself before another begins',
    async (cut) => {
      const api = new MemoryClient();
      const clock = new ManualClock();
      const a = candidate(api, 'a', clock);
      await settle();
      const b = candidate(api, 'b', clock);
      await clock.move(20_000);
      a.line.cut = cut;
      let lostAt: number | undefined;
      a.state.leadership?.signal.addEventListener('abort', () => {
        lostAt = clock.now();
      });
      let both = false;
      while (!b.leads()) {
        await clock.move(100);
        both ||= a.leads() && b.leads();
      }
      expect(both).toBe(false);
      expect(lostAt).toBeLessThan(clock.now());
      expect(a.state.leadership?.signal.reason).toMatchObject({ code: 'timeout' });
      await b.state.leadership?.release();
    },
  );

  test('clocks that are hours apart change nothing', async () => {
    const api = new MemoryClient();
    const slow = new ManualClock(0);
    const fast = new ManualClock(Date.UTC(2040, 0, 1));
    const a = candidate(api, 'a', slow);
    await settle();
    const b = candidate(api, 'b', fast);
    for (let i = 0; i < 60; i++) {
      await slow.move(1000);
      await fast.move(1000);
      expect([a.leads(), b.leads()]).toEqual([true, false]);
    }
    await a.state.leadership?.release();
    b.abort.abort();
  });

  test('a Lease that another took is leadership lost', async () => {
    const api = new MemoryClient();
    const clock = new ManualClock();
    const a = candidate(api, 'a', clock);
    await clock.move(3000);
    const held = api.peek(Lease, lease);
    api.put(Lease, {
      ...held,
      metadata: { ...held?.metadata, ...lease },
      spec: { ...held?.spec, holderIdentity: 'thief' },
    });
    await clock.move(2000);
    expect(a.leads()).toBe(false);
    expect(a.state.leadership?.signal.reason).toMatchObject({ code: 'conflict' });
  });

  test('trouble while renewing is survived as long as the deadline allows', async () => {
    const api = new MemoryClient();
    const clock = new ManualClock();
    const a = candidate(api, 'a', clock);
    await clock.move(1000);
    a.line.cut = 'fails';
    await clock.move(6000);
    a.line.cut = undefined;
    await clock.move(60_000);
    expect(a.leads()).toBe(true);
    expect(a.errors.length).toBeGreaterThan(0);
    await a.state.leadership?.release();
  });

  test('an aborted wait ends', async () => {
    const api = new MemoryClient();
    const abort = new AbortController();
    const elector = new Elector({ client: api, lease, identity: 'a', clock: new ManualClock() });
    abort.abort();
    await expect(elector.acquire(abort.signal)).rejects.toThrow();
    expect(spec(api)).toBeUndefined();
  });

  test('times that would let two lead are refused', () => {
    const make = (times: object) => new Elector({ client: new MemoryClient(), lease, identity: 'a', ...times });
    expect(() => make({ leaseDurationMs: 10_000, renewDeadlineMs: 10_000 })).toThrow(/two may lead/);
    expect(() => make({ renewDeadlineMs: 2000, retryPeriodMs: 2000 })).toThrow(/two may lead/);
    expect(() => make({ identity: '' })).toThrow(/identity/);
  });
});
