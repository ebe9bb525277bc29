/** Objects in the form that was asked for: as they are, as a Table, or as metadata alone. */
import type { Entry } from '../../store/store.ts';
import type { Resource } from '../registry/resource.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { apiVersionOf } from '../verbs/engine.ts';
import { metadataOf, objectOf } from '../verbs/stored-object.ts';
import type { Wanted } from './negotiation.ts';

export type IncludeObject = 'None' | 'Metadata' | 'Object';

const metaVersion = ({ version }: Wanted) => `meta.k8s.io/${version}`;

/** The stored text is the answer wherever it can be: nothing is parsed to be written again. */
export function objectText(
  entry: Entry,
  resource: Resource,
  wanted: Wanted,
  include: IncludeObject,
  now: Date,
): string {
  if (wanted.as === 'object' && !needsVersion(entry, resource)) return entry.value;
  return JSON.stringify(represent(withVersion(objectOf(entry), resource), resource, wanted, include, now));
}

/** A custom kind is stored at one version and served at several. */
function needsVersion(entry: Entry, resource: Resource): boolean {
  return !resource.builtin && objectOf(entry)['apiVersion'] !== apiVersionOf(resource);
}

export function withVersion(object: JsonObject, resource: Resource): JsonObject {
  const apiVersion = apiVersionOf(resource);
  return object['apiVersion'] === apiVersion ? object : { ...object, apiVersion };
}

export function represent(
  object: JsonObject,
  resource: Resource,
  wanted: Wanted,
  include: IncludeObject,
  now: Date,
): JsonObject {
  if (wanted.as === 'Table')
    return table([object], resource, wanted, include, now, {
      resourceVersion: metadataOf(object)['resourceVersion'] ?? '',
    });
  if (wanted.as === 'PartialObjectMetadata') return partial(object, wanted);
  return object;
}

export function partial(object: JsonObject, wanted: Wanted): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: metaVersion(wanted), metadata: metadataOf(object) };
}

export interface ListMeta {
  readonly revision: number;
  readonly continue: string;
  readonly remaining: number | undefined;
}

export function listText(
  entries: readonly Entry[],
  meta: ListMeta,
  resource: Resource,
  wanted: Wanted,
  include: IncludeObject,
  now: Date,
): string {
  const metadata: JsonObject = {
    resourceVersion: String(meta.revision),
    ...(meta.continue === '' ? {} : { continue: meta.continue }),
    ...(meta.remaining === undefined ? {} : { remainingItemCount: meta.remaining }),
  };
  if (wanted.as === 'Table') {
    return JSON.stringify(
      table(
        entries.map((entry) => withVersion(objectOf(entry), resource)),
        resource,
        wanted,
        include,
        now,
        metadata,
      ),
    );
  }
  const isPartial = wanted.as === 'PartialObjectMetadata';
  const kind = isPartial ? 'PartialObjectMetadataList' : resource.listKind;
  const apiVersion = isPartial ? metaVersion(wanted) : apiVersionOf(resource);
  const head = JSON.stringify({ kind, apiVersion, metadata });
  const items = entries.map((entry) => objectText(entry, resource, wanted, include, now));
  return `${head.slice(0, -1)},"items":[${items.join(',')}]}`;
}

function table(
  objects: readonly JsonObject[],
  resource: Resource,
  wanted: Wanted,
  include: IncludeObject,
  now: Date,
  metadata: JsonObject,
): JsonObject {
  const { columns, row } = resource.table;
  return {
    kind: 'Table',
    apiVersion: metaVersion(wanted),
    metadata,
    columnDefinitions: columns.map(
      ({ name, type, format = '', description, priority }): JsonObject => ({
        name,
        type,
        format,
        description,
        priority,
      }),
    ),
    rows: objects.map(
      (object): JsonObject => ({
        cells: row(object, now),
        ...(include === 'None' ? {} : { object: include === 'Object' ? object : (partial(object, wanted) as Json) }),
      }),
    ),
  };
}

/** The columns stand in the first Table of a watch only. */
export function withoutColumns(table: JsonObject): JsonObject {
  return { ...table, columnDefinitions: null };
}
