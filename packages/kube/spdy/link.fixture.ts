import { ByteQueue } from '../transport/byte-queue.ts';
import type { SpdyLink } from './session.ts';

/** Two ends of a link inside the test. `cut` decides how what is sent falls into pieces. */
export function linkPair(cut: (data: Buffer) => Buffer[] = (data) => [data]): [SpdyLink, SpdyLink] {
  const tap = { pause: () => undefined, resume: () => undefined, cancel: () => undefined };
  const queues = [new ByteQueue(tap), new ByteQueue(tap)] as const;
  const end = (own: ByteQueue, other: ByteQueue): SpdyLink => ({
    messages: own,
    send: async (data) => {
      for (const part of cut(Buffer.from(data))) other.push(part);
    },
    close: () => {
      own.end();
      other.end();
    },
  });
  return [end(queues[0], queues[1]), end(queues[1], queues[0])];
}
