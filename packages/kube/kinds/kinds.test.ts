import { expect, expectTypeOf, test } from 'vitest';
import type { Kind, ObjectOf } from '../kind.ts';
import * as kinds from './index.ts';
import snapshot from './openapi-snapshot.json' with { type: 'json' };

test('there is a key for every resource of the snapshot, under a name of its own', () => {
  const text = ({ group, version, kind, plural, namespaced }: Omit<Kind, never>) =>
    [group, version, kind, plural, namespaced].join(' ');
  const keys = (Object.values(kinds) as Kind[]).map(text).sort();
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys).toEqual(snapshot.resources.map(text).sort());
});

test('a name is type and key at once', () => {
  expectTypeOf<ObjectOf<typeof kinds.Pod>>().toEqualTypeOf<kinds.Pod>();
  expectTypeOf<kinds.ContainerPort['protocol']>().toEqualTypeOf<'SCTP' | 'TCP' | 'UDP' | undefined>();
  expectTypeOf<kinds.Container['name']>().toEqualTypeOf<string>();
  expectTypeOf<kinds.ServicePort['targetPort']>().toEqualTypeOf<number | string | undefined>();
  expectTypeOf<kinds.Event['eventTime']>().toEqualTypeOf<string>();
  expect(kinds.Event.group).toBe('events.k8s.io');
  expect(kinds.CoreEvent.group).toBe('');
  expect(kinds.HorizontalPodAutoscaler.version).toBe('v2');
});

test('the snapshot holds facts and no prose', () => {
  expect(JSON.stringify(snapshot)).not.toContain('"description":"');
});
