import type { Status } from '../errors.ts';
import { KubeError } from '../errors.ts';
import type { Kind } from '../kind.ts';
import { apiVersionOf, collectionPath, resourceName } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { errorFromAnswer, statusError } from '../transport/answer.ts';
import type { KubeStream, Transport } from '../transport/contract.ts';
import { acceptObject, askedOf } from './call.ts';
import type { WatchEvent, WatchOptions } from './contract.ts';
import { LineSplitter } from './lines.ts';

interface WatchLine {
  type?: string;
  object?: KubeObject & Status;
}

/** A bare watch, for one reader. Ends quietly when the server ends it between two events. */
export async function* watch<T extends KubeObject>(
  transport: Transport,
  kind: Kind<T>,
  options: WatchOptions = {},
): AsyncGenerator<WatchEvent<T>, void> {
  const asked = askedOf(transport, { verb: 'watch', kind });
  const stream = await openWatch(transport, kind, options);
  try {
    if (stream.status >= 300) throw errorFromAnswer({ ...stream, body: await whole(stream) }, asked);
    const apiVersion = apiVersionOf(kind);
    const lines = new LineSplitter();
    for await (const chunk of stream.body) {
      for (const line of lines.push(chunk)) {
        if (line.length === 0) continue;
        const event = parseEvent<T>(line, asked);
        if (event.type !== 'BOOKMARK' && options.metadataOnly)
          Object.assign(event.object, { apiVersion, kind: kind.kind });
        yield event;
      }
    }
    if (lines.pending) {
      throw new KubeError(
        'connection-lost',
        `watch ${asked.resource}: the connection ended in the middle of an event. Watch again from the last one.`,
      );
    }
  } finally {
    stream.close();
  }
}

function openWatch(transport: Transport, kind: Kind, options: WatchOptions): Promise<KubeStream> {
  const initial = options.sendInitialEvents;
  return transport.stream({
    method: 'GET',
    path: collectionPath(kind, options.namespace),
    query: {
      watch: true,
      labelSelector: options.labelSelector,
      fieldSelector: options.fieldSelector,
      resourceVersion: options.resourceVersion,
      allowWatchBookmarks: options.bookmarks ?? initial,
      timeoutSeconds: options.serverTimeoutSeconds,
      sendInitialEvents: initial,
      resourceVersionMatch: initial === undefined ? undefined : 'NotOlderThan',
    },
    headers: acceptObject(options.metadataOnly),
    signal: options.signal,
    timeoutMs: options.timeoutMs,
    idleTimeoutMs: options.idleTimeoutMs,
    operation: { verb: 'watch', resource: resourceName(kind) },
  });
}

function parseEvent<T extends KubeObject>(line: Buffer, asked: ReturnType<typeof askedOf>): WatchEvent<T> {
  let parsed: WatchLine;
  try {
    parsed = JSON.parse(line.toString('utf8')) as WatchLine;
  } catch (cause) {
    throw new KubeError('bad-response', `watch ${asked.resource}: an event is not JSON. Watch again.`, { cause });
  }
  const { type, object } = parsed;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: object as T };
    case 'BOOKMARK': {
      const { resourceVersion = '', annotations } = object?.metadata ?? {};
      return { type, resourceVersion, initialEventsEnd: annotations?.['k8s.io/initial-events-end'] === 'true' };
    }
    case 'ERROR':
      throw statusError(object?.code ?? 500, object, asked);
    default:
      throw new KubeError('bad-response', `watch ${asked.resource}: event of unknown type ${type}. Watch again.`);
  }
}

export async function whole(stream: KubeStream): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream.body) chunks.push(chunk);
  return Buffer.concat(chunks);
}
