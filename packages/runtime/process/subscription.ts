/** A client's stream on a process: start, data and keep-alives, then the end. Used by Start and Connect alike. e2b 3.3 */
import { create } from '@bufbuild/protobuf';
import type { ServerStream } from '../connect/stream.ts';
import { StartResponseSchema } from '../generated/process_pb.js';
import type { EndFields } from './exit-status.ts';
import { dataEnvelopes } from './output.ts';
import type { ManagedProcess, Subscriber } from './process.ts';

export interface SubscriptionOptions {
  readonly keepAliveMs: number;
  readonly replay: boolean;
}

/** Resolves when the process has ended (and the client was told) or the client is gone. */
export function follow(process: ManagedProcess, stream: ServerStream, options: SubscriptionOptions): Promise<void> {
  return new Promise((resolve) => {
    // ConnectResponse has the same fields and numbers as StartResponse.
    stream.send(
      StartResponseSchema,
      create(StartResponseSchema, { event: { event: { case: 'start', value: { pid: process.pid } } } }),
    );
    let room = true;
    if (options.replay) {
      for (const { kind, bytes } of process.ring.entries()) {
        room = stream.write(dataEnvelopes(stream.format, kind, bytes)) && room;
      }
    }
    if (process.end !== undefined) {
      sendEnd(stream, process.end);
      resolve();
      return;
    }
    const keepAlive = setInterval(() => {
      stream.send(
        StartResponseSchema,
        create(StartResponseSchema, { event: { event: { case: 'keepalive', value: {} } } }),
      );
    }, options.keepAliveMs);
    keepAlive.unref();
    const done = (): void => {
      clearInterval(keepAlive);
      process.unsubscribe(subscriber);
      resolve();
    };
    const subscriber: Subscriber = {
      output: (kind, bytes) => {
        keepAlive.refresh();
        return stream.write(dataEnvelopes(stream.format, kind, bytes));
      },
      end: (end) => {
        sendEnd(stream, end);
        done();
      },
    };
    stream.onDrain(() => process.unblock(subscriber));
    stream.onClose(done);
    if (stream.open) process.subscribe(subscriber, !room);
  });
}

function sendEnd(stream: ServerStream, end: EndFields): void {
  stream.send(StartResponseSchema, create(StartResponseSchema, { event: { event: { case: 'end', value: end } } }));
}
