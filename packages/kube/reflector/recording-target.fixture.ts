import { expect } from 'vitest';
import type { Widget } from './collection-server.fixture.ts';
import type { Target } from './reflector.ts';

export interface RecordingTarget extends Target<Widget> {
  readonly objects: Map<string, Widget>;
  readonly syncs: string[];
  /** Every call, in order. */
  readonly events: string[];
  /** Only what changed something. */
  readonly changes: string[];
  data(): Record<string, string>;
  /** Resolves when the condition holds; asked in every turn of the event loop. */
  until(condition: () => boolean): Promise<void>;
  /** Per object: no version twice, none going back, no deletion of what is absent. */
  expectLegal(): void;
}

export function recordingTarget(): RecordingTarget {
  const objects = new Map<string, Widget>();
  const events: string[] = [];
  const changes: string[] = [];
  const syncs: string[] = [];
  const seen = new Map<string, number[]>();
  const nameOf = (key: string) => key.slice(key.indexOf('/') + 1);
  const target: RecordingTarget = {
    objects,
    events,
    changes,
    syncs,
    get size() {
      return objects.size;
    },
    keys: () => objects.keys(),
    has: (key, object) => objects.get(key)?.metadata?.resourceVersion === object.metadata?.resourceVersion,
    put(key, object) {
      const version = object.metadata?.resourceVersion ?? '';
      events.push(`put ${key}@${version}`);
      if (objects.get(key)?.metadata?.resourceVersion === version) return;
      objects.set(key, object);
      changes.push(`put ${nameOf(key)}@${version}`);
      seen.set(key, [...(seen.get(key) ?? []), Number(version)]);
    },
    remove(key) {
      events.push(`remove ${key}`);
      if (objects.delete(key)) changes.push(`deleted ${nameOf(key)}`);
    },
    synced: (version) => void syncs.push(version),
    data: () => Object.fromEntries([...objects].map(([key, object]) => [key, object.data ?? ''])),
    async until(condition) {
      while (!condition()) await new Promise((resolve) => setImmediate(resolve));
    },
    expectLegal() {
      for (const versions of seen.values()) expect(versions).toEqual([...new Set(versions)].sort((a, b) => a - b));
    },
  };
  return target;
}
