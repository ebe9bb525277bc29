import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../testing/manual-clock.ts';
import { Expectations } from './expectations.ts';

const key = 'default/pool';

describe('expectations', () => {
  test('by name: met by that name alone', () => {
    const expected = new Expectations({ clock: new ManualClock() });
    expected.expectCreate(key, { name: 'a' });
    expect(expected.satisfied(key)).toBe(false);
    expect(expected.satisfied('default/other')).toBe(true);
    expected.createSeen(key, 'b');
    expect(expected.satisfied(key)).toBe(false);
    expected.createSeen(key, 'a');
    expect(expected.satisfied(key)).toBe(true);
  });

  test('by count: met by as many', () => {
    const expected = new Expectations({ clock: new ManualClock() });
    expected.expectCreate(key, { count: 2 });
    expected.createSeen(key, 'x1');
    expect(expected.unseen(key)).toEqual({ creates: 1, deletes: 0 });
    expected.createSeen(key);
    expect(expected.satisfied(key)).toBe(true);
  });

  test('deletes by uid', () => {
    const expected = new Expectations({ clock: new ManualClock() });
    expected.expectDelete(key, 'u1');
    expected.deleteSeen(key, 'u2');
    expect(expected.unseen(key)).toEqual({ creates: 0, deletes: 1 });
    expected.deleteSeen(key, 'u1');
    expect(expected.satisfied(key)).toBe(true);
  });

  test('each is dropped at its own time, and says when', async () => {
    const clock = new ManualClock();
    const expected = new Expectations({ clock, timeoutMs: 1000 });
    expected.expectCreate(key, { name: 'a' });
    await clock.move(400);
    expected.expectDelete(key, 'u1');
    expect(expected.remainingMs(key)).toBe(600);
    await clock.move(600);
    expect(expected.unseen(key)).toEqual({ creates: 0, deletes: 1 });
    await clock.move(400);
    expect(expected.satisfied(key)).toBe(true);
    expected.expectCreate(key, { count: 1 });
    expected.forget(key);
    expect(expected.satisfied(key)).toBe(true);
  });
});

type Event = { type: 'added' | 'deleted'; name: string };

/** A controller that wants `desired` objects, a server that is always right, and a cache that lags behind it. */
class World {
  readonly expected = new Expectations({ clock: new ManualClock() });
  readonly server = new Set<string>();
  readonly cache = new Set<string>();
  readonly lag: Event[] = [];
  readonly #byName: boolean;
  desired = 0;
  #next = 0;

  constructor(byName: boolean) {
    this.#byName = byName;
  }

  reconcile(outcome: () => 'ok' | 'refused' | 'lost'): void {
    if (!this.expected.satisfied(key)) return;
    const missing = this.desired - this.cache.size;
    for (let i = 0; i < missing; i++) this.#create(outcome());
    for (const name of [...this.cache].slice(0, Math.max(0, -missing))) this.#delete(name, outcome());
  }

  deliver(): void {
    const event = this.lag.shift();
    if (!event) return;
    if (event.type === 'added') {
      this.cache.add(event.name);
      this.expected.createSeen(key, event.name);
    } else {
      this.cache.delete(event.name);
      this.expected.deleteSeen(key, event.name);
    }
  }

  #create(outcome: 'ok' | 'refused' | 'lost'): void {
    const name = `pod-${this.#next++}`;
    this.expected.expectCreate(key, this.#byName ? { name } : { count: 1 });
    if (outcome === 'refused') {
      this.expected.createSeen(key, this.#byName ? name : undefined);
      return;
    }
    // An answer that got lost is a create that happened.
    this.server.add(name);
    this.lag.push({ type: 'added', name });
  }

  #delete(name: string, outcome: 'ok' | 'refused' | 'lost'): void {
    this.expected.expectDelete(key, name);
    if (outcome === 'refused') {
      this.expected.deleteSeen(key, name);
      return;
    }
    this.server.delete(name);
    this.lag.push({ type: 'deleted', name });
  }
}

describe('property: however far the cache lags', () => {
  const step = fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('reconcile' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('deliver' as const), count: fc.nat(3) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('scale' as const), to: fc.nat(8) }) },
  );
  const outcomes = fc.array(fc.constantFrom('ok' as const, 'ok' as const, 'refused' as const, 'lost' as const), {
    minLength: 1,
  });

  test.each([
    ['by name', true],
    ['by count', false],
  ])(
    'creates %s never go above the highest number wanted, deletes never below the lowest, and it settles',
    (_, byName) => {
      fc.assert(
        fc.property(fc.array(step, { maxLength: 80, size: 'max' }), outcomes, (steps, given) => {
          const world = new World(byName);
          let calls = 0;
          const outcome = () => given[calls++ % given.length] ?? 'ok';
          // Bounds since the cache was last in step with the server.
          let most = 0;
          let least = 0;
          for (const one of steps) {
            if (one.do === 'scale') world.desired = one.to;
            else if (one.do === 'deliver') for (let i = 0; i < one.count; i++) world.deliver();
            if (world.lag.length === 0) most = least = world.server.size;
            most = Math.max(most, world.desired);
            least = Math.min(least, world.desired);
            if (one.do === 'reconcile') world.reconcile(outcome);
            expect(world.server.size).toBeLessThanOrEqual(most);
            expect(world.server.size).toBeGreaterThanOrEqual(least);
          }
          for (let i = 0; i < 200; i++) {
            world.deliver();
            world.reconcile(() => 'ok');
          }
          expect(world.server.size).toBe(world.desired);
        }),
      );
    },
  );
});
