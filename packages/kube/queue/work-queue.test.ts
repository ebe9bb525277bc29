import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { WorkQueue } from './work-queue.ts';

function queueOf(options: ConstructorParameters<typeof WorkQueue>[0] = {}) {
  const clock = new ManualClock();
  return { clock, queue: new WorkQueue({ clock, random: () => 0, ...options }) };
}

describe('a queue', () => {
  test('holds a key once, first come first served', async () => {
    const { queue } = queueOf();
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    expect(queue.depth).toBe(2);
    expect([await queue.take(), await queue.take()]).toEqual(['a', 'b']);
  });

  test('never gives a key to two workers; added meanwhile, it comes again when done', async () => {
    const { queue } = queueOf();
    queue.add('a');
    expect(await queue.take()).toBe('a');
    queue.add('a');
    let second: string | undefined;
    const next = queue.take().then((given) => {
      second = given;
    });
    await settle();
    expect(second).toBeUndefined();
    expect(queue.depth).toBe(0);
    queue.done('a');
    await next;
    expect(second).toBe('a');
  });

  test('a delay keeps the earliest, and an add without delay is the earliest of all', async () => {
    const { queue, clock } = queueOf();
    queue.add('a', { afterMs: 100 });
    queue.add('a', { afterMs: 50 });
    queue.add('a', { afterMs: 200 });
    await clock.move(49);
    expect(queue.depth).toBe(0);
    await clock.move(1);
    expect(await queue.take()).toBe('a');
    queue.done('a');
    queue.add('b', { afterMs: 1000 });
    queue.add('b');
    expect(await queue.take()).toBe('b');
    await clock.move(2000);
    expect(queue.depth).toBe(0);
  });

  test('higher priority first; the highest that was asked for a key holds', async () => {
    const { queue } = queueOf();
    queue.add('low', { priority: -100 });
    queue.add('raised', { priority: -100 });
    queue.add('normal');
    queue.add('raised', { priority: 10 });
    queue.add('raised', { priority: -5 });
    expect([await queue.take(), await queue.take(), await queue.take()]).toEqual(['raised', 'normal', 'low']);
  });

  test('waits double with each failure, up to a limit, until forgotten', () => {
    const { queue } = queueOf({ retryBaseMs: 5, retryMaxMs: 100 });
    expect([1, 2, 3, 4, 5, 6, 7].map(() => queue.retry('a'))).toEqual([5, 10, 20, 40, 80, 100, 100]);
    queue.forget('a');
    expect(queue.retry('a')).toBe(5);
    expect(queue.failures('a')).toBe(1);
  });

  test('a close gives waiting workers nothing more, and waits for those at work', async () => {
    const { queue } = queueOf();
    queue.add('a');
    const busy = await queue.take();
    const idle = queue.take();
    queue.add('b', { afterMs: 10 });
    let closed = false;
    const closing = queue.close().then(() => {
      closed = true;
    });
    expect(await idle).toBeUndefined();
    await settle();
    expect(closed).toBe(false);
    queue.done(busy ?? '');
    await closing;
    queue.add('c');
    expect(await queue.take()).toBeUndefined();
  });

  test('tells its observer what happens', async () => {
    const seen: string[] = [];
    const { queue, clock } = queueOf({
      observer: {
        added: () => seen.push('added'),
        retried: () => seen.push('retried'),
        depth: (ready) => seen.push(`depth ${ready}`),
        started: (key, ms) => seen.push(`started ${key} ${ms}`),
        finished: (key, ms) => seen.push(`finished ${key} ${ms}`),
      },
    });
    queue.add('a');
    await clock.move(7);
    await queue.take();
    await clock.move(3);
    queue.retry('a');
    queue.done('a');
    expect(seen).toEqual(['added', 'depth 1', 'depth 0', 'started a 7', 'retried', 'added', 'finished a 3']);
  });
});

const key = fc.constantFrom('a', 'b', 'c');
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), key, afterMs: fc.constantFrom(0, 0, 5, 10, 30), priority: fc.nat(2) }),
  fc.record({ do: fc.constant('take' as const) }),
  fc.record({ do: fc.constant('done' as const), index: fc.nat(3) }),
  fc.record({ do: fc.constant('move' as const), ms: fc.nat(20) }),
);

describe('property: against a model', () => {
  /** What the queue promises, in the plainest form. */
  class Model {
    now = 0;
    order = 0;
    readonly waiting = new Map<string, { at: number; priority: number; order: number }>();
    readonly working = new Set<string>();

    add(key: string, afterMs: number, priority: number): void {
      const at = this.now + afterMs;
      const known = this.waiting.get(key);
      if (!known) this.waiting.set(key, { at, priority, order: 0 });
      else
        this.waiting.set(key, { at: Math.min(at, known.at), priority: Math.max(priority, known.priority), order: 0 });
    }

    takeable(): string[] {
      return [...this.waiting]
        .filter(([name, { at }]) => at <= this.now && !this.working.has(name))
        .map(([name]) => name);
    }

    /** Any of the highest priority: which of two equals goes first is tested elsewhere. */
    best(): string[] {
      const takeable = this.takeable();
      const top = Math.max(...takeable.map((name) => this.waiting.get(name)?.priority ?? 0));
      return takeable.filter((name) => this.waiting.get(name)?.priority === top);
    }
  }

  test('never two workers on one key, nothing lost, the earliest delay wins, priority first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60, size: 'max' }), async (steps) => {
        const { queue, clock } = queueOf();
        const model = new Model();
        const given: string[] = [];
        let takers = 0;
        const take = () => {
          takers++;
          void queue.take().then((name) => {
            if (name !== undefined) given.push(name);
          });
        };
        const check = async () => {
          await settle();
          for (const name of given.splice(0)) {
            expect(model.working.has(name)).toBe(false);
            expect(model.best()).toContain(name);
            model.waiting.delete(name);
            model.working.add(name);
            takers--;
          }
          // Nobody waits for a key that could be had.
          expect(Math.min(takers, model.takeable().length)).toBe(0);
          expect(queue.depth).toBe(model.takeable().length);
          expect(queue.waiting).toBe(model.waiting.size);
          expect(new Set(queue.working.keys())).toEqual(model.working);
        };
        for (const one of steps) {
          if (one.do === 'add') {
            model.add(one.key, one.afterMs, one.priority);
            queue.add(one.key, one);
          } else if (one.do === 'take') {
            take();
          } else if (one.do === 'done') {
            const name = [...model.working][one.index];
            if (name !== undefined) {
              model.working.delete(name);
              queue.done(name);
            }
          } else {
            // One millisecond at a time: the model hands out at each what the queue does.
            for (let i = 0; i < one.ms; i++) {
              model.now++;
              await clock.move(1);
              await check();
            }
          }
          await check();
        }
      }),
      { numRuns: 60 },
    );
  });

  test('many workers over many keys: every add is followed by a turn that started after it', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(key, fc.nat(3)), { maxLength: 80, size: 'max' }),
        fc.integer({ min: 1, max: 5 }),
        async (adds, workers) => {
          const { queue, clock } = queueOf();
          const active = new Set<string>();
          const lastStart = new Map<string, number>();
          let tick = 0;
          const work = async () => {
            for (let name = await queue.take(); name !== undefined; name = await queue.take()) {
              expect(active.has(name)).toBe(false);
              active.add(name);
              lastStart.set(name, tick++);
              await new Promise((resolve) => setImmediate(resolve));
              active.delete(name);
              queue.done(name);
            }
          };
          const all = Array.from({ length: workers }, work);
          const lastAdd = new Map<string, number>();
          for (const [name, pause] of adds) {
            lastAdd.set(name, tick++);
            queue.add(name);
            for (let i = 0; i < pause; i++) await new Promise((resolve) => setImmediate(resolve));
          }
          while (queue.waiting > 0 || queue.working.size > 0) await clock.move(1);
          await queue.close();
          await Promise.all(all);
          for (const [name, added] of lastAdd) expect(lastStart.get(name)).toBeGreaterThan(added);
        },
      ),
      { numRuns: 40 },
    );
  });
});
