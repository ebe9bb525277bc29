import { acceptObject, askedOf } from '../client/call.ts';
import { LineSplitter } from '../client/lines.ts';
import { KubeError, type Status } from '../errors.ts';
import { collectionPath, resourceName } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { statusError } from '../transport/answer.ts';
import { chunksOf } from './chunks.ts';
import { decode, hasKey, incomplete, type Span, scanObject, skipSpace, skipValue, walkObject } from './scan.ts';
import type { Source } from './source.ts';
import { turns } from './turns.ts';

export interface WatchHandler<T> {
  opened(): void;
  put(object: T): void;
  remove(object: T): void;
  /** Everything up to this version has been handed over. */
  reached(resourceVersion: string): void;
}

export interface WatchTimes {
  /** The server ends the watch after this. */
  readonly serverSeconds: number;
  readonly silenceMs: number;
}

const typeKey = Buffer.from('type');
const objectKey = Buffer.from('object');

/** One watch, from one connection to its end. Returns when the server ends it, or when it falls silent. */
export async function watchFrom<T extends KubeObject>(
  source: Source<T>,
  resourceVersion: string,
  handler: WatchHandler<T>,
  times: WatchTimes,
  signal: AbortSignal,
): Promise<void> {
  const { kind, selection } = source;
  const stream = await source.transport.stream({
    method: 'GET',
    path: collectionPath(kind, selection.namespace),
    query: {
      watch: true,
      resourceVersion,
      allowWatchBookmarks: true,
      timeoutSeconds: times.serverSeconds,
      labelSelector: selection.labelSelector,
      fieldSelector: selection.fieldSelector,
    },
    headers: acceptObject(source.metadataOnly),
    signal,
    retry: false,
    operation: { verb: 'watch', resource: resourceName(kind) },
  });
  try {
    await source.judge(stream, 'watch');
    handler.opened();
    const lines = new LineSplitter();
    for await (const chunk of chunksOf(stream, times.silenceMs, source.clock)) {
      for (const line of lines.push(chunk)) {
        if (line.length > 0) handle(source, line, handler);
        if (turns.spent) await turns.next();
        signal.throwIfAborted();
      }
    }
    // Half an event is no event: the next watch begins before it.
    if (lines.pending) throw new KubeError('connection-lost', 'the connection ended in the middle of an event');
  } finally {
    stream.close();
  }
}

function handle<T extends KubeObject>(source: Source<T>, line: Buffer, handler: WatchHandler<T>): void {
  const { type, span } = scanEvent(line);
  switch (type) {
    case 'ADDED':
    case 'MODIFIED': {
      const object = source.decode(line, span);
      handler.put(object);
      handler.reached(object.metadata?.resourceVersion ?? '');
      return;
    }
    case 'DELETED': {
      const object = source.decode(line, span);
      handler.remove(object);
      handler.reached(object.metadata?.resourceVersion ?? '');
      return;
    }
    case 'BOOKMARK': {
      const version = (decode(line, span) as KubeObject).metadata?.resourceVersion;
      if (version) handler.reached(version);
      return;
    }
    case 'ERROR': {
      const status = decode(line, span) as Status;
      throw statusError(status.code ?? 500, status, askedOf(source.transport, { verb: 'watch', kind: source.kind }));
    }
    default:
      throw new KubeError('bad-response', `the server sent a watch event of unknown type ${JSON.stringify(type)}`);
  }
}

/** `{"type":"ADDED","object":{…}}` */
function scanEvent(line: Buffer): { type: string; span: Span } {
  let type = '';
  let span: Span | typeof incomplete = incomplete;
  const end = walkObject(line, skipSpace(line, 0), (member) => {
    if (hasKey(line, member, objectKey)) {
      span = scanObject(line, member.value);
      return span === incomplete ? incomplete : span.end;
    }
    const valueEnd = skipValue(line, member.value);
    if (hasKey(line, member, typeKey)) type = line.toString('latin1', member.value + 1, valueEnd - 1);
    return valueEnd;
  });
  if (end === incomplete || span === incomplete || type === '') {
    throw new KubeError('bad-response', 'the server sent a line that is no watch event');
  }
  return { type, span };
}
