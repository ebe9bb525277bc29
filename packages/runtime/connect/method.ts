/** The shape of an RPC method: what the dispatcher needs to know to decode, call and answer. */
import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import type { User } from '../auth/users.ts';
import type { ServerStream } from './stream.ts';

export interface CallContext {
  /** The Linux user of this call; throws `unauthenticated` if it does not exist. */
  user(): User;
  header(name: string): string | undefined;
  /** Milliseconds left when the call came; undefined without a deadline. */
  readonly timeoutMs: number | undefined;
  /** Sets a header of the answer. Only before the first byte. */
  answerHeader(name: string, value: string): void;
}

export interface UnaryMethod {
  readonly kind: 'unary';
  readonly input: DescMessage;
  readonly output: DescMessage;
  readonly call: (input: never, context: CallContext) => Promise<unknown> | unknown;
  /** For answers that may be huge: JSON made in slices, so that others are served in between. */
  readonly encodeJson?: (output: never) => Promise<Buffer>;
}

export interface ServerStreamMethod {
  readonly kind: 'server-stream';
  readonly input: DescMessage;
  readonly call: (input: never, context: CallContext, stream: ServerStream) => Promise<void>;
}

export interface ClientStreamMethod {
  readonly kind: 'client-stream';
  readonly input: DescMessage;
  readonly output: DescMessage;
  readonly call: (inputs: AsyncIterable<never>, context: CallContext) => Promise<unknown>;
}

export type Method = UnaryMethod | ServerStreamMethod | ClientStreamMethod;
export type Service = ReadonlyMap<string, Method>;

export function unary<In extends DescMessage, Out extends DescMessage>(
  input: In,
  output: Out,
  call: (
    input: MessageShape<In>,
    context: CallContext,
  ) => Promise<Omit<MessageShape<Out>, '$typeName' | '$unknown'>> | Omit<MessageShape<Out>, '$typeName' | '$unknown'>,
  encodeJson?: (output: MessageShape<Out>) => Promise<Buffer>,
): UnaryMethod {
  return { kind: 'unary', input, output, call, ...(encodeJson === undefined ? {} : { encodeJson }) };
}

export function serverStream<In extends DescMessage>(
  input: In,
  call: (input: MessageShape<In>, context: CallContext, stream: ServerStream) => Promise<void>,
): ServerStreamMethod {
  return { kind: 'server-stream', input, call };
}

export function clientStream<In extends DescMessage, Out extends DescMessage>(
  input: In,
  output: Out,
  call: (
    inputs: AsyncIterable<MessageShape<In>>,
    context: CallContext,
  ) => Promise<Omit<MessageShape<Out>, '$typeName' | '$unknown'>>,
): ClientStreamMethod {
  return { kind: 'client-stream', input, output, call };
}
