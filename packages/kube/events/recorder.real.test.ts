import { expect, test } from 'vitest';
import { realApiServer } from '../../../test/control-plane/suite.ts';
import { ConfigMap, CoreEvent, Event } from '../kinds/index.ts';
import { describeReal } from '../testing/real-client.ts';
import { EventRecorder } from './recorder.ts';

describeReal(realApiServer(), 'events', (server) => {
  test('are taken by the real API server, and a repetition is a series', async () => {
    const { client, namespace } = server();
    const map = await client.create(ConfigMap, { metadata: { namespace, name: 'told-about' } });
    const losses: unknown[] = [];
    const recorder = new EventRecorder({
      client,
      controller: 'test.io/tester',
      instance: 'tester-0',
      onLost: (...why) => losses.push(why),
    });
    for (let i = 0; i < 5; i += 1)
      recorder.emit(ConfigMap, map, { reason: 'Tried', action: 'Trying', note: `try ${i}` });
    recorder.emit(ConfigMap, map, { type: 'Warning', reason: 'Failed', action: 'Trying', note: 'ü'.repeat(2000) });
    await recorder.close();
    expect(losses).toEqual([]);
    const { items } = await client.list(Event, { namespace });
    const about = (reason: string) => items.filter((event) => event.reason === reason);
    expect(about('Tried')).toEqual([
      expect.objectContaining({
        note: 'try 0',
        type: 'Normal',
        regarding: expect.objectContaining({ uid: map.metadata?.uid }),
        series: expect.objectContaining({ count: 5 }),
      }),
    ]);
    expect(Buffer.byteLength(about('Failed')[0]?.note ?? '')).toBeLessThanOrEqual(1024);
    const { items: old } = await client.list(CoreEvent, {
      namespace,
      fieldSelector: `involvedObject.uid=${map.metadata?.uid}`,
    });
    expect(old).toHaveLength(2);
  });
});
