import type { Entry } from '../../store/store.ts';
import type { JsonObject } from '../schema/structural.ts';

const parsed = new WeakMap<Entry, JsonObject>();

/** The object of an entry, parsed once and shared by everybody: read only. Entries keep their identity until replaced. */
export function objectOf(entry: Entry): JsonObject {
  let object = parsed.get(entry);
  if (!object) {
    object = JSON.parse(entry.value) as JsonObject;
    parsed.set(entry, object);
  }
  return object;
}

export const metadataOf = (object: JsonObject): JsonObject => (object['metadata'] ?? {}) as JsonObject;

export function textOf(object: JsonObject, field: string): string {
  const value = metadataOf(object)[field];
  return typeof value === 'string' ? value : '';
}

export function stringsOf(object: JsonObject, field: string): string[] {
  const value = metadataOf(object)[field];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** The stored text, which carries the revision that it is written at. */
export function storedText(object: JsonObject): (revision: number) => string {
  return (revision) =>
    JSON.stringify({ ...object, metadata: { ...metadataOf(object), resourceVersion: String(revision) } });
}

export const timestamp = (now: Date): string => now.toISOString().replace(/\.\d+Z$/, 'Z');
