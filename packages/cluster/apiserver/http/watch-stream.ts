/** A watch on the wire: one JSON event per line, bookmarks while nothing happens, an ERROR event at a bad end. */
import type { Resource } from '../registry/resource.ts';
import type { JsonObject } from '../schema/structural.ts';
import { apiVersionOf } from '../verbs/engine.ts';
import { asApiError } from '../verbs/read.ts';
import { metadataOf, objectOf } from '../verbs/stored-object.ts';
import type { OpenWatch, Seen } from '../verbs/watch.ts';
import { ApiError } from './api-error.ts';
import type { Wanted } from './negotiation.ts';
import { type IncludeObject, objectText, represent, withoutColumns, withVersion } from './representation.ts';

export interface StreamOptions {
  readonly resource: Resource;
  readonly wanted: Wanted;
  readonly include: IncludeObject;
  readonly bookmarks: boolean;
  readonly sendInitialEvents: boolean;
  /** Milliseconds after which the server ends the watch. */
  readonly timeoutMs: number;
  readonly bookmarkEveryMs: number;
  readonly now: () => Date;
  readonly signal: AbortSignal;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';
/** Bytes that are put into one piece: few pieces for a long list, none so large that it holds the loop. */
const PIECE = 64 * 1024;

export async function* watchLines(watch: OpenWatch, options: StreamOptions): AsyncGenerator<string> {
  let hadColumns = false;
  const line = (seen: Seen): string => {
    const text = seen.type === 'DELETED' ? deletedText(seen, options) : entryText(seen);
    return `{"type":"${seen.type}","object":${text}}\n`;
  };
  const entryText = ({ entry }: Seen): string => {
    if (options.wanted.as !== 'Table')
      return objectText(entry, options.resource, options.wanted, options.include, options.now());
    return tableText(withVersion(objectOf(entry), options.resource));
  };
  const tableText = (object: JsonObject): string => {
    const table = represent(object, options.resource, options.wanted, options.include, options.now());
    const text = JSON.stringify(hadColumns ? withoutColumns(table) : table);
    hadColumns = true;
    return text;
  };
  function deletedText(
    { entry, revision }: Extract<Seen, { type: 'DELETED' }>,
    { resource, wanted, include, now }: StreamOptions,
  ): string {
    const last = withVersion(objectOf(entry), resource);
    const object = { ...last, metadata: { ...metadataOf(last), resourceVersion: String(revision) } };
    return wanted.as === 'Table'
      ? tableText(object)
      : JSON.stringify(represent(object, resource, wanted, include, now()));
  }

  yield* pieces(watch.initial, line);
  if (options.sendInitialEvents) yield bookmark(options, watch.initialRevision, { [INITIAL_EVENTS_END]: 'true' });

  const ending = Promise.withResolvers<'end'>();
  const timer = setTimeout(() => ending.resolve('end'), options.timeoutMs);
  const onAbort = () => ending.resolve('end');
  options.signal.addEventListener('abort', onAbort, { once: true });
  const ticks = ticker(options.bookmarks ? options.bookmarkEveryMs : undefined);
  try {
    let next = watch.source.next();
    for (;;) {
      const turn = await Promise.race([next, ending.promise, ticks.next()]);
      if (turn === 'end') return;
      if (turn === 'tick') {
        yield bookmark(options, watch.source.revision, {});
        continue;
      }
      if (turn.done) return;
      next = watch.source.next();
      yield* pieces(
        turn.value.flatMap((event) => watch.see(event) ?? []),
        line,
      );
    }
  } catch (error) {
    const known = asApiError(error);
    if (!(known instanceof ApiError)) throw error;
    yield `${JSON.stringify({ type: 'ERROR', object: known.toStatus() })}\n`;
  } finally {
    clearTimeout(timer);
    ticks.stop();
    options.signal.removeEventListener('abort', onAbort);
    await watch.source.return();
  }
}

function* pieces(seen: readonly Seen[], line: (seen: Seen) => string): Generator<string> {
  let text = '';
  for (const one of seen) {
    text += line(one);
    if (text.length >= PIECE) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

function bookmark({ resource, wanted }: StreamOptions, revision: number, annotations: Record<string, string>): string {
  const metadata = {
    resourceVersion: String(revision),
    creationTimestamp: null,
    ...(Object.keys(annotations).length > 0 ? { annotations } : {}),
  };
  const object =
    wanted.as === 'PartialObjectMetadata'
      ? { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${wanted.version}`, metadata }
      : { kind: resource.kind, apiVersion: apiVersionOf(resource), metadata };
  return `${JSON.stringify({ type: 'BOOKMARK', object })}\n`;
}

/** One pending promise at a time, however often it is raced: a race must not leave a listener behind for every turn. */
function ticker(everyMs: number | undefined): { next(): Promise<'tick'>; stop(): void } {
  if (everyMs === undefined) return { next: () => new Promise<'tick'>(() => {}), stop() {} };
  let pending: { promise: Promise<'tick'>; timer: NodeJS.Timeout } | undefined;
  return {
    next() {
      if (!pending) {
        const { promise, resolve } = Promise.withResolvers<'tick'>();
        const timer = setTimeout(() => {
          pending = undefined;
          resolve('tick');
        }, everyMs);
        pending = { promise, timer };
      }
      return pending.promise;
    },
    stop() {
      if (pending) clearTimeout(pending.timer);
    },
  };
}
