import { describe, expect, test } from 'vitest';
import { KubeError } from '../errors.ts';
import { type Event, Node, Pod } from '../kinds/index.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryClient } from '../testing/memory-client.ts';
import { EventRecorder, type EventRecorderOptions } from './recorder.ts';

const pod = { metadata: { namespace: 'a', name: 'web', uid: 'u1', resourceVersion: '5' } };
const started = { reason: 'Started', action: 'Starting', note: 'started' } as const;

function setup(options: Partial<EventRecorderOptions> = {}) {
  const client = new MemoryClient();
  const clock = new ManualClock();
  const losses: string[] = [];
  const recorder = new EventRecorder({
    client,
    clock,
    controller: 'test.io/tester',
    instance: 'tester-0',
    onLost: (reason) => losses.push(reason),
    ...options,
  });
  const events = () => [...client.objects.values()] as Event[];
  const writes = () => client.calls.map((call) => call.split(' ')[0]);
  return { client, clock, recorder, events, writes, losses };
}

test('an event says who, what, when and about whom', async () => {
  const { recorder, events } = setup();
  recorder.emit(Pod, pod, { ...started, type: 'Warning', related: { kind: 'Node', name: 'n1' } });
  await recorder.close();
  expect(events()).toEqual([
    expect.objectContaining({
      metadata: expect.objectContaining({ namespace: 'a', name: expect.stringMatching(/^web\.[0-9a-f]+$/) }),
      eventTime: '2026-01-01T00:00:00.000000Z',
      reportingController: 'test.io/tester',
      reportingInstance: 'tester-0',
      type: 'Warning',
      reason: 'Started',
      action: 'Starting',
      note: 'started',
      regarding: { apiVersion: 'v1', kind: 'Pod', namespace: 'a', name: 'web', uid: 'u1' },
      related: { kind: 'Node', name: 'n1' },
    }),
  ]);
  expect(events()[0]).not.toHaveProperty('series');
});

test('an object without namespace is told about in default', async () => {
  const { recorder, events } = setup();
  recorder.emit(Node, { metadata: { name: 'n1' } }, started);
  await recorder.close();
  expect(events()[0]?.metadata?.namespace).toBe('default');
});

describe('repetitions', () => {
  test('the first is written at once, later ones once per interval', async () => {
    const { recorder, events, writes, clock } = setup({ seriesMs: 60_000 });
    recorder.emit(Pod, pod, started);
    await settle();
    await clock.move(1_000);
    recorder.emit(Pod, pod, { ...started, note: 'again' });
    await settle();
    expect(writes()).toEqual(['create', 'patch']);
    for (let i = 0; i < 100; i += 1) recorder.emit(Pod, pod, started);
    await settle();
    expect(writes()).toHaveLength(2);
    await clock.move(60_000);
    expect(writes()).toEqual(['create', 'patch', 'patch']);
    expect(events()).toEqual([
      expect.objectContaining({ series: { count: 102, lastObservedTime: '2026-01-01T00:00:01.000000Z' } }),
    ]);
    await recorder.close();
    expect(writes()).toHaveLength(3);
  });

  test('outside the window, or in any other respect but the note, it is another event', async () => {
    const { recorder, events, clock } = setup({ windowMs: 60_000 });
    recorder.emit(Pod, pod, started);
    recorder.emit(Pod, pod, { ...started, reason: 'Stopped' });
    recorder.emit(Pod, pod, { ...started, action: 'Restarting' });
    recorder.emit(Pod, pod, { ...started, type: 'Warning' });
    recorder.emit(Pod, pod, { ...started, related: { kind: 'Node', name: 'n1' } });
    recorder.emit(Pod, { metadata: { ...pod.metadata, uid: 'u2' } }, started);
    await clock.move(60_001);
    recorder.emit(Pod, pod, started);
    await recorder.close();
    expect(events()).toHaveLength(7);
  });

  test('a series whose event the server forgot goes on in a new one', async () => {
    const { client, recorder, events } = setup();
    recorder.emit(Pod, pod, started);
    await settle();
    client.objects.clear();
    recorder.emit(Pod, pod, started);
    await recorder.close();
    expect(events()).toEqual([expect.objectContaining({ series: expect.objectContaining({ count: 2 }) })]);
  });

  test('an open series is written on close', async () => {
    const { recorder, events } = setup();
    for (let i = 0; i < 3; i += 1) {
      recorder.emit(Pod, pod, started);
      await settle();
    }
    await recorder.close();
    expect(events()).toEqual([expect.objectContaining({ series: expect.objectContaining({ count: 3 }) })]);
  });
});

describe('bounds', () => {
  test('the rate holds for everything together', async () => {
    const { recorder, writes, clock } = setup({ rate: { perSecond: 1, burst: 3 } });
    for (let i = 0; i < 10; i += 1)
      recorder.emit(Pod, { metadata: { ...pod.metadata, name: `p${i}`, uid: `${i}` } }, started);
    await settle();
    expect(writes()).toHaveLength(3);
    await clock.move(2_000);
    expect(writes()).toHaveLength(5);
    await clock.move(10_000);
    expect(writes()).toHaveLength(10);
    await recorder.close();
  });

  test('what does not fit the queue is dropped, counted and told', async () => {
    const { recorder, losses } = setup({ queueLimit: 2, rate: { perSecond: 1, burst: 1 } });
    for (let i = 0; i < 5; i += 1) recorder.emit(Pod, { metadata: { name: `p${i}`, uid: `${i}` } }, started);
    expect(recorder.lost).toBe(2);
    expect(losses).toEqual(Array(2).fill('too many events wait to be written'));
  });

  test.each([
    ['a', 2000],
    ['ä€😀', 700],
  ])('a note of %j × %i is cut to what the server takes, at a whole character', async (part, times) => {
    const { recorder, events } = setup();
    recorder.emit(Pod, pod, { ...started, note: part.repeat(times) });
    await recorder.close();
    const note = events()[0]?.note ?? '';
    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1024);
    expect(Buffer.byteLength(note)).toBeGreaterThan(1015);
    expect(note).not.toContain('\uFFFD');
    expect(note.endsWith('…')).toBe(true);
  });

  test('the name fits, however long the object is called', async () => {
    const { recorder, events } = setup();
    recorder.emit(Pod, { metadata: { namespace: 'a', name: 'x'.repeat(253), uid: 'u' } }, started);
    await recorder.close();
    expect(events()[0]?.metadata?.name?.length).toBeLessThanOrEqual(253);
  });
});

describe('failures never reach the caller', () => {
  test('a refusal loses that event and no other', async () => {
    const { client, recorder, events } = setup();
    client.before = (call) => {
      if (call.includes('/bad.')) throw new KubeError('forbidden', 'no');
    };
    recorder.emit(Pod, { metadata: { namespace: 'a', name: 'bad', uid: 'b' } }, started);
    recorder.emit(Pod, pod, started);
    await recorder.close();
    expect(events()).toHaveLength(1);
    expect(recorder.lost).toBe(1);
  });

  test('an unreachable server is tried again', async () => {
    const { client, recorder, events, clock } = setup();
    let failures = 2;
    client.before = () => {
      if (failures-- > 0) throw new KubeError('unreachable', 'away');
    };
    recorder.emit(Pod, pod, started);
    await clock.move(10_000);
    expect(events()).toHaveLength(1);
    expect(recorder.lost).toBe(0);
  });

  test('an answer that was lost does not make a second event', async () => {
    const { client, recorder, events, clock } = setup();
    const create = client.create.bind(client);
    let first = true;
    client.create = async (kind, object) => {
      const made = await create(kind, object);
      if (first) {
        first = false;
        throw new KubeError('connection-lost', 'cut');
      }
      return made;
    };
    recorder.emit(Pod, pod, started);
    await clock.move(10_000);
    expect(events()).toHaveLength(1);
    expect(recorder.lost).toBe(0);
  });

  test('closing ends at its deadline, and what is left is counted', async () => {
    const { client, recorder, clock } = setup();
    client.before = () => {
      throw new KubeError('unreachable', 'away');
    };
    recorder.emit(Pod, pod, started);
    recorder.emit(Pod, pod, { ...started, reason: 'Other' });
    const closed = recorder.close({ drainMs: 1_000 });
    await clock.move(1_000);
    client.before = () => {
      throw new KubeError('aborted', 'closed');
    };
    await clock.move(0);
    await closed;
    expect(recorder.lost).toBe(2);
    recorder.emit(Pod, pod, started);
    expect(recorder.lost).toBe(3);
  });
});
