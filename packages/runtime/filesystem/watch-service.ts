/** WatchDir, CreateWatcher, GetWatcherEvents, RemoveWatcher. e2b 3.4 */
import { create } from '@bufbuild/protobuf';
import { deadlineExceeded, keepAliveMs } from '../connect/deadline.ts';
import { type CallContext, type Method, serverStream, unary } from '../connect/method.ts';
import type { ServerStream } from '../connect/stream.ts';
import {
  CreateWatcherRequestSchema,
  CreateWatcherResponseSchema,
  type FilesystemEvent,
  GetWatcherEventsRequestSchema,
  GetWatcherEventsResponseSchema,
  RemoveWatcherRequestSchema,
  RemoveWatcherResponseSchema,
  WatchDirRequestSchema,
  WatchDirResponseSchema,
} from '../generated/filesystem_pb.js';
import type { HelperClient } from '../helper/client.ts';
import type { RuntimeContext } from '../server/context.ts';
import { RuntimeError } from '../server/errors.ts';
import type { EntrySource } from './entry.ts';
import { resolvePath } from './paths.ts';
import { WatchHub } from './watch-hub.ts';
import { checkWatchable, EventFeed, maxWaiting, WatcherTable, type WatchRequest } from './watchers.ts';

export function watchMethods(context: RuntimeContext, source: () => Promise<EntrySource>): [string, Method][] {
  const hub = hubOf(context);
  const table = new WatcherTable();
  context.watchers = table;
  const prepare = async (input: WatchRequest, call: CallContext): Promise<WatchRequest> => {
    const path = resolvePath(input.path, call.user(), context.state.defaultWorkdir);
    await checkWatchable(path, input.allowNetworkMounts);
    const { recursive, includeEntry, allowNetworkMounts } = input;
    return { path, recursive, includeEntry, allowNetworkMounts };
  };
  return [
    [
      'WatchDir',
      serverStream(WatchDirRequestSchema, async (input, call, stream) => {
        const request = await prepare(input, call);
        await streamEvents(await hub(), request, await source(), call, stream);
      }),
    ],
    [
      'CreateWatcher',
      unary(CreateWatcherRequestSchema, CreateWatcherResponseSchema, async (input, call) => {
        const request = await prepare(input, call);
        return { watcherId: await table.create(await hub(), request, await source()) };
      }),
    ],
    [
      'GetWatcherEvents',
      unary(GetWatcherEventsRequestSchema, GetWatcherEventsResponseSchema, (input) => ({
        events: table.take(input.watcherId),
      })),
    ],
    [
      'RemoveWatcher',
      unary(RemoveWatcherRequestSchema, RemoveWatcherResponseSchema, (input) => {
        table.remove(input.watcherId);
        return {};
      }),
    ],
  ];
}

/** One hub per helper; a new helper has no watches, so it gets a new hub. */
function hubOf(context: RuntimeContext): () => Promise<WatchHub> {
  let current: { helper: HelperClient; hub: WatchHub } | undefined;
  return async () => {
    const helper = await context.helper();
    if (helper === undefined) {
      throw new RuntimeError(
        'unimplemented',
        'watching needs the helper, which is not running here; see docs/runtime.md',
      );
    }
    if (current?.helper !== helper) current = { helper, hub: new WatchHub(helper) };
    return current.hub;
  };
}

/** Sends events until the client is gone or the deadline comes. A slow client's events wait, up to a limit. */
async function streamEvents(
  hub: WatchHub,
  request: WatchRequest,
  source: EntrySource,
  call: CallContext,
  stream: ServerStream,
): Promise<void> {
  if (call.timeoutMs !== undefined && call.timeoutMs <= 0) throw deadlineExceeded();
  let failure: RuntimeError | undefined;
  let waiting: FilesystemEvent[] = [];
  let started = false;
  let blocked = false;
  const send = (event: FilesystemEvent): void => {
    keepAlive.refresh();
    const message = create(WatchDirResponseSchema, { event: { case: 'filesystem', value: event } });
    blocked = !stream.send(WatchDirResponseSchema, message);
  };
  const fail = (error: RuntimeError): void => {
    failure = error;
    stream.end(error);
  };
  const feed = new EventFeed(
    hub,
    request,
    source,
    (event) => {
      if (started && !blocked && waiting.length === 0) send(event);
      else if (waiting.length < maxWaiting) waiting.push(event);
      else fail(new RuntimeError('resource_exhausted', `more than ${maxWaiting} events were not read; watch again`));
    },
    fail,
  );
  const keepAlive = setInterval(
    () => {
      stream.send(WatchDirResponseSchema, create(WatchDirResponseSchema, { event: { case: 'keepalive', value: {} } }));
    },
    keepAliveMs(call.header('keepalive-ping-interval')),
  );
  keepAlive.unref();
  const deadline =
    call.timeoutMs === undefined ? undefined : setTimeout(() => stream.end(deadlineExceeded()), call.timeoutMs);
  const flush = (): void => {
    blocked = false;
    while (!blocked && waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      for (const [index, event] of batch.entries()) {
        if (blocked) {
          waiting = batch.slice(index);
          return;
        }
        send(event);
      }
    }
  };
  try {
    await feed.start();
    stream.send(WatchDirResponseSchema, create(WatchDirResponseSchema, { event: { case: 'start', value: {} } }));
    started = true;
    stream.onDrain(flush);
    flush();
    await new Promise<void>((resolve) => stream.onClose(resolve));
  } finally {
    feed.close();
    clearInterval(keepAlive);
    clearTimeout(deadline);
  }
  if (failure !== undefined) throw failure;
}
