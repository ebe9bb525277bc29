/** `metadata.managedFields`: who owns which fields, how an apply merges and conflicts, how other writes take ownership over. */
import type { Json, JsonObject, Structural } from '../schema/structural.ts';
import {
  difference,
  EMPTY,
  type FieldSet,
  fromFieldsV1,
  intersection,
  isEmpty,
  pathsOf,
  pathText,
  sameSet,
  toFieldsV1,
  union,
  withNamedParents,
  withoutPath,
} from './field-set.ts';
import { isObject } from './merge-patch.ts';
import { type Comparison, compare, DuplicateElement, fieldSetOf, mergeTyped, removeItems } from './typed-value.ts';

export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string | undefined;
}

interface Entry {
  readonly manager: Manager;
  readonly fields: FieldSet;
  readonly time: string | undefined;
}

export interface Conflict {
  readonly manager: Manager;
  readonly fields: readonly string[];
}

export interface Write {
  readonly live: JsonObject;
  readonly schema: Structural;
  readonly manager: Manager;
  readonly now: Date;
  /** Paths that this endpoint can't set, such as `status` of the main resource: nobody gets to own them by it. */
  readonly resetFields?: readonly (readonly string[])[];
}

/** The server's own fields: in no set. */
const UNTRACKED: readonly (readonly string[])[] = [
  ['f:apiVersion'],
  ['f:kind'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['f:metadata', `f:${name}`]),
];
const METADATA = ['f:metadata'];

/** Fields that were there before anybody applied, when nobody is on record for them. */
const BEFORE_FIRST_APPLY = 'before-first-apply';
/** Managers that only ever updated are merged beyond this number, the oldest first, as the real server does. */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

const idOf = (manager: Manager) =>
  JSON.stringify([manager.name, manager.operation, manager.apiVersion, manager.subresource ?? '']);

/** A server-side apply. Either conflicts, or the new object with its managedFields. */
export function applyConfiguration(
  write: Write & { readonly config: JsonObject; readonly force: boolean },
): { readonly object: JsonObject } | { readonly conflicts: readonly Conflict[] } {
  const { schema, manager, config, now } = write;
  const live = withoutManaged(write.live);
  let entries = readEntries(write.live);
  if (entries.length === 0 && Object.keys(live).length > 0 && metadataOf(live)['uid'] !== undefined) {
    const fields = tracked(fieldSetOf(live, schema), []);
    entries = [{ manager: { ...manager, name: BEFORE_FIRST_APPLY, operation: 'Update' }, fields, time: stamp(now) }];
  }
  const id = idOf(manager);
  const previous = entries.find((entry) => idOf(entry.manager) === id);
  const fields = tracked(fieldSetOf(config, schema), write.resetFields);
  const others = entries.filter((entry) => entry !== previous);

  const merged = mergeTyped(live, config, schema) as JsonObject;
  const object = previous
    ? prune(merged, previous.fields, [fields, ...others.map((entry) => entry.fields)], schema)
    : merged;

  const change = compare(live, object, schema);
  const conflicts = conflictsOf(others, change);
  if (conflicts.length > 0 && !write.force) return { conflicts };

  const kept = others.map((entry) => ({
    ...entry,
    fields: difference(difference(entry.fields, touched(change)), change.removed),
  }));
  // An apply that changes nothing leaves the time as it was: none, for a manager that is new.
  const changed = !isEmpty(touched(change)) || !isEmpty(change.removed);
  const time = changed ? stamp(now) : previous?.time;
  return { object: withEntries(object, [...kept, { manager, fields, time }]) };
}

/** A create, update or patch: its manager owns what it changed, and everybody else loses that. */
export function trackUpdate(write: Write & { readonly updated: JsonObject }): JsonObject {
  try {
    return track(write);
  } catch (error) {
    // A list with one key twice can't be told apart; the write goes on (validation may refuse it), owners stay as they were.
    if (!(error instanceof DuplicateElement)) throw error;
    return withEntries(withoutManaged(write.updated), readEntries(write.live));
  }
}

function track(write: Write & { readonly updated: JsonObject }): JsonObject {
  const { schema, manager, now } = write;
  const updated = withoutManaged(write.updated);
  const change = compare(withoutManaged(write.live), updated, schema);
  const changed = tracked(touched(change), write.resetFields);
  const id = idOf(manager);
  // What the caller sent counts when it cleared the list: `managedFields: []` forgets all owners.
  const sent = metadataOf(write.updated)['managedFields'];
  const entries = Array.isArray(sent) && sent.length === 0 ? [] : readEntries(write.live);
  const own = entries.find((entry) => idOf(entry.manager) === id);
  const others = entries
    .filter((entry) => entry !== own)
    .map((entry) => ({ ...entry, fields: difference(difference(entry.fields, touched(change)), change.removed) }));
  const fields = union(difference(own?.fields ?? EMPTY, change.removed), changed);
  const time = own && sameSet(own.fields, fields) ? own.time : stamp(now);
  return withEntries(updated, mergeAncient([...others, { manager, fields, time }]));
}

const touched = (change: Comparison): FieldSet => union(change.modified, change.added);

function tracked(set: FieldSet, resetFields: readonly (readonly string[])[] = []): FieldSet {
  let result = set;
  for (const path of [...UNTRACKED, ...resetFields.map((path) => path.map((name) => `f:${name}`))])
    result = withoutPath(result, path);
  // `metadata` itself is never owned, only what is in it.
  const members = new Set([...result.members].filter((element) => element !== METADATA[0]));
  return { members, children: result.children };
}

function conflictsOf(others: readonly Entry[], change: Comparison): Conflict[] {
  return others.flatMap(({ manager, fields }) => {
    const contested = intersection(fields, touched(change));
    return isEmpty(contested) ? [] : [{ manager, fields: [...pathsOf(contested)].map(pathText) }];
  });
}

/** Takes out what this manager applied last time and names no more, unless somebody else owns it. */
function prune(merged: JsonObject, last: FieldSet, owned: readonly FieldSet[], schema: Structural): JsonObject {
  const named = (set: FieldSet) => withNamedParents(set, schema);
  const without = removeItems(merged, last, schema, true);
  const gone = difference(named(fieldSetOf(merged, schema)), named(fieldSetOf(without, schema)));
  const unowned = difference(gone, named(owned.reduce(union, EMPTY)));
  return removeItems(merged, intersection(unowned, named(last)), schema) as JsonObject;
}

function mergeAncient(entries: Entry[]): Entry[] {
  const updates = entries.filter((entry) => entry.manager.operation === 'Update').sort(byTime);
  const surplus = updates.slice(0, Math.max(0, updates.length - MAX_UPDATE_MANAGERS));
  if (surplus.length === 0) return entries;
  const merged = new Map<string, Entry>();
  for (const entry of surplus) {
    const manager: Manager = { name: ANCIENT, operation: 'Update', apiVersion: entry.manager.apiVersion };
    const known = merged.get(manager.apiVersion);
    merged.set(manager.apiVersion, { manager, fields: union(known?.fields ?? EMPTY, entry.fields), time: entry.time });
  }
  return [...entries.filter((entry) => !surplus.includes(entry)), ...merged.values()];
}

const stamp = (now: Date) => now.toISOString().replace(/\.\d+Z$/, 'Z');
const byTime = (a: Entry, b: Entry) => (a.time ?? '').localeCompare(b.time ?? '');

function metadataOf(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  return isObject(metadata) ? metadata : {};
}

function withoutManaged(object: JsonObject): JsonObject {
  if (!isObject(object['metadata']) || !Object.hasOwn(object['metadata'], 'managedFields')) return object;
  const { managedFields: _, ...metadata } = object['metadata'];
  return { ...object, metadata };
}

function readEntries(object: JsonObject): Entry[] {
  const list = metadataOf(object)['managedFields'];
  if (!Array.isArray(list)) return [];
  return list.filter(isObject).map((entry) => ({
    manager: {
      name: text(entry['manager']) ?? 'unknown',
      operation: entry['operation'] === 'Apply' ? 'Apply' : 'Update',
      apiVersion: text(entry['apiVersion']) ?? '',
      subresource: text(entry['subresource']),
    },
    fields: fromFieldsV1(entry['fieldsV1']),
    time: text(entry['time']),
  }));
}

const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);

function withEntries(object: JsonObject, entries: readonly Entry[]): JsonObject {
  const managedFields = entries
    .filter((entry) => !isEmpty(entry.fields))
    .sort(
      (a, b) =>
        a.manager.operation.localeCompare(b.manager.operation) ||
        byTime(a, b) ||
        a.manager.name.localeCompare(b.manager.name),
    )
    .map(
      ({ manager, fields, time }): JsonObject => ({
        manager: manager.name,
        operation: manager.operation,
        apiVersion: manager.apiVersion,
        ...(time === undefined ? {} : { time }),
        fieldsType: 'FieldsV1',
        fieldsV1: toFieldsV1(fields),
        ...(manager.subresource === undefined ? {} : { subresource: manager.subresource }),
      }),
    );
  return managedFields.length === 0 ? object : { ...object, metadata: { ...metadataOf(object), managedFields } };
}

/** The message and causes of the 409 that a conflicting apply gets. */
export function conflictMessage(conflicts: readonly Conflict[]): string {
  const using = ({ manager }: Conflict) =>
    `"${manager.name}"${manager.subresource ? ` with subresource "${manager.subresource}"` : ''}${manager.operation === 'Update' ? ` using ${manager.apiVersion}` : ''}`;
  const total = conflicts.reduce((sum, conflict) => sum + conflict.fields.length, 0);
  const [first] = conflicts;
  if (total === 1 && first) return `Apply failed with 1 conflict: conflict with ${using(first)}: ${first.fields[0]}`;
  const groups = conflicts.map(
    (conflict) => `conflicts with ${using(conflict)}:\n${conflict.fields.map((field) => `- ${field}`).join('\n')}`,
  );
  return `Apply failed with ${total} conflicts: ${groups.join('\n')}`;
}
