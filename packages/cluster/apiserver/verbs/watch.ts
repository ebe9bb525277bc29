/** A watch: the store's events of one collection, as a caller with a selector sees them. */
import type { Entry, StoreEvent, Watch } from '../../store/store.ts';
import type { Resource } from '../registry/resource.ts';
import type { Engine } from './engine.ts';
import { collectionPrefix } from './keys.ts';
import { answering, parseRevision, tooLarge } from './read.ts';
import { type Matcher, matcherOf } from './selection.ts';
import { objectOf } from './stored-object.ts';

export interface WatchQuery {
  readonly namespace: string | undefined;
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
}

export type Seen =
  | { readonly type: 'ADDED' | 'MODIFIED'; readonly entry: Entry }
  /** The object as it last was, at the revision at which it went. */
  | { readonly type: 'DELETED'; readonly entry: Entry; readonly revision: number };

export interface OpenWatch {
  /** What is there now, when the caller asked to start with it. */
  readonly initial: readonly Seen[];
  readonly initialRevision: number;
  readonly source: Watch;
  see(event: StoreEvent): Seen | undefined;
}

export function openWatch(engine: Engine, resource: Resource, query: WatchQuery, signal: AbortSignal): OpenWatch {
  const matches = matcherOf(resource, query.labelSelector, query.fieldSelector);
  const prefix = collectionPrefix(resource, query.namespace);
  const { resourceVersion: text } = query;
  const startsWithState = query.sendInitialEvents || text === '' || text === '0';
  const { entries, revision } = startsWithState
    ? engine.store.list(prefix)
    : { entries: [], revision: parseRevision(text) };
  if (!startsWithState && revision > engine.store.revision) throw tooLarge(revision, engine.store.revision);
  const source = answering(() => engine.store.watch(prefix, { after: revision, signal }));
  const initial = entries
    .filter((entry) => !matches || matches(objectOf(entry)))
    .map((entry): Seen => ({ type: 'ADDED', entry }));
  return { initial, initialRevision: revision, source, see: (event) => seen(event, matches) };
}

/** An object that starts to match is added, one that stops is deleted, whatever really happened to it. */
export function seen(event: StoreEvent, matches: Matcher | undefined): Seen | undefined {
  const { entry, previous, revision } = event;
  const is = entry !== undefined && (!matches || matches(objectOf(entry)));
  const was = previous !== undefined && (!matches || matches(objectOf(previous)));
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', entry };
  return was ? { type: 'DELETED', entry: previous, revision } : undefined;
}
