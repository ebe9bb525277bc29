import { LineSplitter } from '../client/lines.ts';
import { whole } from '../client/watch.ts';
import type { ObjectKey } from '../object.ts';
import { errorFromAnswer } from '../transport/answer.ts';
import type { Transport } from '../transport/contract.ts';
import { askedOfPod, podPath } from './pod-path.ts';

export interface LogOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Go on with what is still to come. */
  readonly follow?: boolean | undefined;
  /** Of the container that ran before the last restart. */
  readonly previous?: boolean | undefined;
  /** Prefix every line with its time. */
  readonly timestamps?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly limitBytes?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  readonly sinceTime?: Date | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The bytes of a container's log as they come, read no faster than they are used. */
export async function* podLogBytes(
  transport: Transport,
  pod: ObjectKey,
  options: LogOptions = {},
): AsyncGenerator<Buffer, void> {
  const { signal, timeoutMs, sinceTime, ...query } = options;
  const stream = await transport.stream({
    method: 'GET',
    path: podPath(pod, 'log'),
    query: { ...query, sinceTime: sinceTime?.toISOString() },
    headers: { accept: '*/*' },
    signal,
    timeoutMs,
    operation: { verb: 'get', resource: 'pods/log' },
  });
  try {
    if (stream.status >= 300) {
      throw errorFromAnswer({ ...stream, body: await whole(stream) }, askedOfPod(transport, 'get', pod, 'log'));
    }
    yield* stream.body;
  } finally {
    stream.close();
  }
}

/** The same in lines, without their newline. A last line without one is given too. */
export async function* podLogs(
  transport: Transport,
  pod: ObjectKey,
  options: LogOptions = {},
): AsyncGenerator<string, void> {
  const lines = new LineSplitter();
  for await (const chunk of podLogBytes(transport, pod, options)) {
    for (const line of lines.push(chunk)) yield line.toString('utf8');
  }
  if (lines.pending) yield lines.flush().toString('utf8');
}
