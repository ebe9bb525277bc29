import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import type { KubeError } from '../errors.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { CollectionServer, expired, Widget } from './collection-server.fixture.ts';
import { type RecordingTarget, recordingTarget } from './recording-target.fixture.ts';
import { Reflector, type ReflectorOptions, type ReflectorState } from './reflector.ts';

const quick = { backoff: { baseMs: 1, maxMs: 5 } };
const ends: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function server(): Promise<CollectionServer> {
  const one = await CollectionServer.start();
  ends.push(() => one[Symbol.asyncDispose]());
  return one;
}

interface Running {
  readonly target: RecordingTarget;
  readonly states: ReflectorState[];
  readonly errors: () => KubeError[];
}

function reflect(api: CollectionServer, options: Partial<ReflectorOptions<Widget>> = {}): Running {
  const target = recordingTarget();
  const states: ReflectorState[] = [];
  const transport = api.transport();
  const abort = new AbortController();
  const onState = (state: ReflectorState) => void states.push(state);
  const reflector = new Reflector<Widget>({ transport, kind: Widget, target, onState, ...quick, ...options });
  const ended = reflector.run(abort.signal);
  ends.push(async () => {
    abort.abort();
    await ended;
    await transport.close();
  });
  const errors = () => states.flatMap((state) => (state.phase === 'waiting' ? [state.error] : []));
  return { target, states, errors };
}

/** All the target has, as the server has it. */
function truth(api: CollectionServer): Record<string, string> {
  return Object.fromEntries([...api.objects.values()].map((o) => [`default/${o.metadata?.name}`, o.data ?? '']));
}

const lists = (api: CollectionServer) => api.requests.filter((url) => !url.searchParams.get('watch')).length;
const watches = (api: CollectionServer) => api.requests.filter((url) => url.searchParams.get('watch'));

describe.each([
  ['whole', 'whole'],
  ['paged', 'paged'],
] as const)('a list, %s', (_, listForm) => {
  test('brings everything, without managedFields and with kind', async () => {
    const api = await server();
    for (let i = 0; i < 25; i++) api.put(`w${i}`, `${i}`);
    const { target } = reflect(api, { listForm, pageBytes: 1500 });
    await target.until(() => target.syncs.length === 1);
    expect(target.data()).toEqual(truth(api));
    const one = target.objects.get('default/w3');
    expect(one).toMatchObject({ kind: 'Widget', apiVersion: 'test.dev/v1' });
    expect(one?.metadata).not.toHaveProperty('managedFields');
  });

  test('that breaks at any byte is asked for again', async () => {
    const api = await server();
    for (let i = 0; i < 5; i++) api.put(`w${i}`, 'ä'.repeat(i));
    for (const compression of [true, false]) {
      for (const metadataLast of [true, false]) {
        api.metadataLast = metadataLast;
        for (const cutAfter of [0, 1, 40, 150, 333, 600]) {
          let cut = false;
          api.fault = (url) => {
            if (cut || url.searchParams.get('watch')) return undefined;
            cut = true;
            return { cutAfter };
          };
          const { target } = reflect(api, { listForm, compression });
          await target.until(() => target.syncs.length === 1);
          expect(target.data()).toEqual(truth(api));
        }
      }
    }
  });
});

test('pages follow the size of the objects', async () => {
  const api = await server();
  for (let i = 0; i < 700; i++) api.put(`w${String(i).padStart(3, '0')}`, 'x'.repeat(1000));
  const { target } = reflect(api, { listForm: 'paged', pageBytes: 60_000 });
  await target.until(() => target.syncs.length === 1);
  const limits = api.requests.flatMap((url) => url.searchParams.get('limit') ?? []).map(Number);
  expect(limits[0]).toBe(500);
  expect(limits.slice(1).every((limit) => limit > 10 && limit < 100)).toBe(true);
  expect(target.objects.size).toBe(700);
});

test('a server older than 1.33 is listed in pages, a newer one in one answer', async () => {
  for (const [minor, limit] of [
    ['32+', '500'],
    ['33', null],
  ] as const) {
    const api = await server();
    api.serverVersion = { major: '1', minor };
    const { target } = reflect(api);
    await target.until(() => target.syncs.length === 1);
    expect(api.requests[0]?.searchParams.get('limit')).toBe(limit);
  }
});

test('a continue token that expired starts the list over', async () => {
  const api = await server();
  for (let i = 0; i < 600; i++) api.put(`w${i}`, '');
  let pages = 0;
  api.fault = (url) => {
    if (url.searchParams.get('continue') && ++pages === 1) {
      api.put('new', '');
      api.compact();
    }
    return undefined;
  };
  const { target } = reflect(api, { listForm: 'paged' });
  await target.until(() => target.syncs.length === 1);
  expect(target.data()).toEqual(truth(api));
});

describe('a watch', () => {
  test('goes on from the list, with selectors, bookmarks and a time-out of 5 to 10 minutes', async () => {
    const api = await server();
    api.put('a', '1');
    const { target } = reflect(api, { selection: { labelSelector: 'app=x', fieldSelector: 'metadata.name=a' } });
    await target.until(() => api.watches === 1);
    api.put('b', '1');
    api.put('a', '2');
    api.remove('b');
    await target.until(() => target.events.length === 4);
    expect(target.events).toEqual(['put default/a@101', 'put default/b@102', 'put default/a@103', 'remove default/b']);
    const query = watches(api)[0]?.searchParams;
    expect(query?.get('labelSelector')).toBe('app=x');
    expect(query?.get('fieldSelector')).toBe('metadata.name=a');
    expect(query?.get('allowWatchBookmarks')).toBe('true');
    expect(query?.get('resourceVersion')).toBe('101');
    expect(Number(query?.get('timeoutSeconds'))).toBeGreaterThanOrEqual(300);
    expect(Number(query?.get('timeoutSeconds'))).toBeLessThanOrEqual(600);
  });

  test('that ends is opened again where it was, also where only a bookmark said so', async () => {
    const api = await server();
    const { target } = reflect(api);
    await target.until(() => api.watches === 1);
    api.put('a', '');
    api.version = 500;
    api.bookmark();
    api.endWatches();
    await target.until(() => watches(api).length === 2 && api.watches === 1);
    expect(watches(api)[1]?.searchParams.get('resourceVersion')).toBe('500');
    expect(lists(api)).toBe(1);
  });

  test('cut in the middle of an event goes on before it', async () => {
    const api = await server();
    const { target } = reflect(api);
    await target.until(() => api.watches === 1);
    api.put('a', '1');
    await target.until(() => target.events.length === 1);
    api.cutWatchesAfter(25);
    api.put('b', '1');
    api.put('a', '2');
    await target.until(() => target.events.length === 3);
    expect(target.events).toEqual(['put default/a@101', 'put default/b@102', 'put default/a@103']);
    expect(lists(api)).toBe(1);
  });

  test('with a line that is no event is opened again', async () => {
    const api = await server();
    const { target, errors } = reflect(api);
    await target.until(() => api.watches === 1);
    api.send('{"type":"ADDED"}\n');
    await target.until(() => watches(api).length === 2 && api.watches === 1);
    api.put('a', '1');
    await target.until(() => target.events.length === 1);
    expect(errors().map(({ code }) => code)).toEqual(['bad-response']);
  });

  test.each([
    ['an HTTP status', false],
    ['an ERROR event', true],
  ])('answered with 410 by %s lists again, and sweeps what is gone', async (_, asEvent) => {
    const api = await server();
    api.put('stays', '1');
    api.put('goes', '1');
    api.put('changes', '1');
    const { target } = reflect(api);
    await target.until(() => api.watches === 1);
    if (asEvent) {
      api.fault = () => ({ status: 500 });
      api.send(`${JSON.stringify({ type: 'ERROR', object: expired })}\n`);
    } else {
      api.fault = (url) => (url.searchParams.get('watch') ? { status: 410, body: expired } : { status: 500 });
      api.cutWatchesAfter(0);
    }
    await target.until(() => api.watches === 0);
    api.remove('goes');
    api.put('changes', '2');
    api.compact();
    api.fault = () => undefined;
    await target.until(() => target.syncs.length === 2 && api.watches === 1);
    expect(target.data()).toEqual({ 'default/stays': '1', 'default/changes': '2' });
    expect(target.events).toContain('remove default/goes');
  });

  test('whose version lies in the future of the server is tried once more, then listed', async () => {
    const api = await server();
    api.put('a', '1');
    const tooLarge = {
      status: 504,
      body: { reason: 'Timeout', message: 'Too large', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    };
    let failures = 0;
    api.fault = (url) => (url.searchParams.get('watch') && failures++ < 2 ? tooLarge : undefined);
    const { target } = reflect(api);
    await target.until(() => target.syncs.length === 2 && api.watches === 1);
    expect(lists(api)).toBe(2);
  });

  test('survives the absence of the server for longer than any wait', async () => {
    const api = await server();
    api.put('a', '1');
    const { target, states } = reflect(api);
    await target.until(() => api.watches === 1);
    await api.down();
    await target.until(() => states.filter(({ phase }) => phase === 'waiting').length > 8);
    api.put('b', '1');
    await api.up();
    await target.until(() => target.objects.size === 2);
    expect(lists(api)).toBe(1);
  });

  test('waits as long as Retry-After says', async () => {
    const api = await server();
    const clock = new ManualClock();
    api.fault = () => ({ status: 429, headers: { 'retry-after': '7' } });
    const { target, states } = reflect(api, { clock });
    await target.until(() => states.some(({ phase }) => phase === 'waiting'));
    expect(states.at(-1)).toMatchObject({ phase: 'waiting', retryInMs: 7000 });
    api.fault = () => undefined;
    await clock.move(6999);
    expect(target.syncs).toEqual([]);
    await clock.move(1);
    await target.until(() => target.syncs.length === 1);
  });

  test('that falls silent is opened again without a list; ten seconds are no silence', async () => {
    const api = await server();
    const clock = new ManualClock();
    const { target } = reflect(api, { clock, silenceMs: 90_000 });
    await target.until(() => api.watches === 1 && clock.waiting > 0);
    await clock.move(10_000);
    api.put('a', '1');
    await target.until(() => target.events.length === 1);
    expect(watches(api)).toHaveLength(1);
    await clock.move(170_000);
    await target.until(() => watches(api).length === 2 && api.watches === 1);
    expect(watches(api)[1]?.searchParams.get('resourceVersion')).toBe('101');
    expect(lists(api)).toBe(1);
  });
});

test('waits double and are jittered, and start over after progress', async () => {
  const api = await server();
  api.fault = () => ({ status: 500 });
  const { target, states } = reflect(api, { random: () => 0.5, backoff: { baseMs: 2, maxMs: 10, random: () => 0.5 } });
  const waits = () => states.flatMap((state) => (state.phase === 'waiting' ? [state.retryInMs] : []));
  await target.until(() => waits().length >= 5);
  expect(waits().slice(0, 5)).toEqual([1.5, 3, 6, 7.5, 7.5]);
  api.fault = () => undefined;
  await target.until(() => api.watches === 1);
  api.put('a', '');
  await target.until(() => target.events.length === 1);
  const before = waits().length;
  api.cutWatchesAfter(0);
  await target.until(() => waits().length > before);
  expect(waits()[before]).toBe(1.5);
});

test('a transform shapes what is kept, metadata-only asks for less', async () => {
  const api = await server();
  api.put('a', 'secret');
  const { target } = reflect(api, { metadataOnly: true, transform: ({ data: _, ...rest }) => rest });
  await target.until(() => target.syncs.length === 1);
  expect(target.objects.get('default/a')).not.toHaveProperty('data');
});

test('an error that the owner gives up on ends the run', async () => {
  const api = await server();
  api.fault = () => ({ status: 403, body: { reason: 'Forbidden', message: 'no' } });
  const transport = api.transport();
  const reflector = new Reflector<Widget>({
    transport,
    kind: Widget,
    target: recordingTarget(),
    giveUp: ({ code }) => code === 'forbidden',
  });
  await expect(reflector.run(new AbortController().signal)).rejects.toMatchObject({ code: 'forbidden' });
  await transport.close();
});

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('put' as const), name }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), name }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), after: fc.nat(600) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('end' as const, 'bookmark' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('pass' as const), turns: fc.nat(12) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('fail' as const), status: fc.constantFrom(429, 500, 503) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), after: fc.nat(900) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('compact' as const) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Lets the reflector get somewhere between two steps; where, is a part of the history. */
async function turnsOfTheLoop(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

function play(api: CollectionServer, one: Step): Promise<unknown> | undefined {
  const once = (fault: { status: number } | { cutAfter: number }) => {
    api.fault = () => {
      api.fault = () => undefined;
      return fault;
    };
  };
  switch (one.do) {
    case 'put':
      api.put(one.name, String(api.version));
      return undefined;
    case 'remove':
      api.remove(one.name);
      return undefined;
    case 'cut':
      api.cutWatchesAfter(one.after);
      return undefined;
    case 'end':
      api.endWatches();
      return undefined;
    case 'bookmark':
      api.bookmark();
      return undefined;
    case 'fail':
      once({ status: one.status });
      return undefined;
    case 'break':
      once({ cutAfter: one.after });
      return undefined;
    case 'compact':
      api.compact();
      return undefined;
    case 'pass':
      return turnsOfTheLoop(one.turns);
  }
}

test('property: against any history the copy ends true, with no gap and no double', { timeout: 120_000 }, async () => {
  const history = fc.array(step, { minLength: 1, maxLength: 40, size: 'max' });
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (steps, metadataLast) => {
      const api = await CollectionServer.start();
      api.metadataLast = metadataLast;
      const { target } = reflect(api, { backoff: { baseMs: 1, maxMs: 2 } });
      await target.until(() => target.syncs.length > 0);
      const from = api.version;
      for (const one of steps) await play(api, one);
      api.fault = () => undefined;
      const last = api.put('last', 'x');
      await target.until(() => target.objects.get('default/last') !== undefined);

      expect(target.data()).toEqual(truth(api));
      target.expectLegal();
      if (!steps.some((one) => one.do === 'compact')) {
        const all = api.history.filter(({ version }) => version > from);
        expect(target.changes).toEqual(
          all.map(({ type, version, object }) =>
            type === 'DELETED' ? `deleted ${object.metadata?.name}` : `put ${object.metadata?.name}@${version}`,
          ),
        );
      }
      expect(target.objects.get('default/last')?.metadata?.resourceVersion).toBe(last.metadata?.resourceVersion);
      for (const end of ends.splice(0).reverse()) await end();
      await api[Symbol.asyncDispose]();
    }),
    { numRuns: 60 },
  );
});
