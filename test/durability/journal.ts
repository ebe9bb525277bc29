import type { Entry, Store, StoreEvent } from '@sandbank/cluster';
import { markerOf, valueFor } from './value.ts';

/** What one run of the writer said, up to its death. */
export interface Journal {
  opened: number | undefined;
  readonly tries: Map<number, { readonly type: string; readonly key: string }>;
  /** Write number to revision. */
  readonly acks: Map<number, number>;
  /** Writes that the store refused or said it did not keep. */
  readonly denied: Map<number, string>;
  readonly seen: { readonly revision: number; readonly type: string; readonly key: string }[];
}

export function emptyJournal(): Journal {
  return { opened: undefined, tries: new Map(), acks: new Map(), denied: new Map(), seen: [] };
}

/** Takes one whole line; the last one may have been cut by the kill, and is left out by the caller. */
export function record(journal: Journal, line: string): string {
  const [what = '', first = '', second = '', third = ''] = line.split(' ');
  if (what === 'open') journal.opened = Number(first);
  else if (what === 'try') journal.tries.set(Number(first), { type: second, key: third });
  else if (what === 'ack') journal.acks.set(Number(first), Number(second));
  else if (what === 'no') journal.denied.set(Number(first), 'precondition');
  else if (what === 'fail') journal.denied.set(Number(first), second);
  else if (what === 'see') journal.seen.push({ revision: Number(first), type: second, key: third });
  return what;
}

/** The state of a store at one revision, kept by the judge between rounds. */
export interface Snapshot {
  readonly revision: number;
  readonly entries: ReadonlyMap<string, Entry>;
}

export function snapshotOf(store: Store): Snapshot {
  const { revision, entries } = store.list('/');
  return { revision, entries: new Map(entries.map((entry) => [entry.key, entry])) };
}

/** Everything that is wrong with a store that was opened after the writer died, in words. None: nothing is wrong. */
export async function faultsOf(store: Store, before: Snapshot, journal: Journal): Promise<string[]> {
  const faults: string[] = [];
  const { opened } = journal;
  if (opened !== undefined && opened !== before.revision) {
    faults.push(`the writer opened at revision ${opened}, but the store had been at ${before.revision}`);
  }
  const newest = Math.max(before.revision, ...journal.acks.values(), ...journal.seen.map((seen) => seen.revision));
  if (store.revision < newest) faults.push(`revision went back from ${newest} to ${store.revision}`);
  const base = Math.max(before.revision, store.compacted);
  const events = await eventsAfter(store, base);
  faults.push(...replayFaults(store, before, base, events));
  const byRevision = new Map(events.map((event) => [event.revision, event]));
  faults.push(...ackFaults(store, journal, base, byRevision));
  faults.push(...seenFaults(journal, before.revision, base, byRevision));
  faults.push(...originFaults(journal, events));
  return faults;
}

async function eventsAfter(store: Store, base: number): Promise<StoreEvent[]> {
  const events: StoreEvent[] = [];
  const watch = store.watch('/', { after: base });
  while (watch.revision < store.revision) {
    const step = await watch.next();
    events.push(...(step.value ?? []));
  }
  await watch.return();
  return events;
}

/** A watch from the last known state, applied to it, leads to the present state, with no revision left out. */
function replayFaults(store: Store, before: Snapshot, base: number, events: readonly StoreEvent[]): string[] {
  const faults: string[] = [];
  const state = new Map<string, Entry>();
  const start = base === before.revision ? before.entries.values() : store.list('/', { revision: base }).entries;
  for (const entry of start) state.set(entry.key, entry);
  let revision = base;
  for (const event of events) {
    if (event.revision !== ++revision)
      faults.push(`the watch has a gap: ${event.revision} comes after ${revision - 1}`);
    if (!same(state.get(event.key), event.previous)) faults.push(`event ${event.revision} replaces what was not there`);
    if (event.entry) state.set(event.key, event.entry);
    else state.delete(event.key);
    revision = event.revision;
  }
  const now = snapshotOf(store);
  if (revision !== now.revision) faults.push(`the watch ends at ${revision}, the store is at ${now.revision}`);
  for (const key of new Set([...state.keys(), ...now.entries.keys()])) {
    if (!same(state.get(key), now.entries.get(key))) faults.push(`${key} is not what the events lead to`);
  }
  return faults;
}

function ackFaults(store: Store, journal: Journal, base: number, events: ReadonlyMap<number, StoreEvent>): string[] {
  const faults: string[] = [];
  if (new Set(journal.acks.values()).size !== journal.acks.size) faults.push('a revision was acknowledged twice');
  for (const [n, revision] of journal.acks) {
    const tried = journal.tries.get(n);
    const event = events.get(revision);
    const held = store.get(tried?.key ?? '');
    const kept =
      revision > base
        ? event?.key === tried?.key && event?.entry?.value === (tried?.type === 'delete' ? undefined : valueFor(n))
        : held === undefined || held.revision >= revision;
    if (!kept) faults.push(`write ${n} (${tried?.type} ${tried?.key}) was acknowledged at ${revision} and is lost`);
  }
  return faults;
}

function seenFaults(journal: Journal, before: number, base: number, events: ReadonlyMap<number, StoreEvent>): string[] {
  const faults: string[] = [];
  let last = before;
  for (const seen of journal.seen) {
    if (seen.revision !== ++last) faults.push(`the writer's watch saw ${seen.revision} after ${last - 1}`);
    last = seen.revision;
    const event = events.get(seen.revision);
    if (seen.revision > base && (event?.key !== seen.key || event.type !== seen.type)) {
      faults.push(`the writer's watch saw revision ${seen.revision}, which is not there any more`);
    }
  }
  return faults;
}

/** Nothing is there that was never tried, or that its writer was told is not. */
function originFaults(journal: Journal, events: readonly StoreEvent[]): string[] {
  const faults: string[] = [];
  const deletes = new Set<string>();
  for (const [n, { type, key }] of journal.tries) if (type === 'delete' && !journal.denied.has(n)) deletes.add(key);
  for (const { revision, key, entry } of events) {
    if (!entry) {
      if (!deletes.has(key)) faults.push(`revision ${revision} deletes ${key}, which nobody did`);
      continue;
    }
    const n = Number(/\d+/.exec(entry.value)?.[0]);
    const denied = journal.denied.get(n);
    if (denied) faults.push(`write ${n} was denied (${denied}) and is there all the same`);
    else if (journal.tries.get(n)?.key !== key || !entry.value.startsWith(markerOf(n))) {
      faults.push(`revision ${revision} holds what nobody wrote`);
    }
  }
  return faults;
}

function same(a: Entry | undefined, b: Entry | undefined): boolean {
  return a?.revision === b?.revision && a?.value === b?.value;
}
