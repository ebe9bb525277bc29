/** One RPC from HTTP request to HTTP answer, for the three kinds that the daemon has. Compression is off. e2b 3.2 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { create, type DescMessage, type MessageInitShape } from '@bufbuild/protobuf';
import { connectStatus, RuntimeError } from '../server/errors.ts';
import { decode, encode, type Format } from './codec.ts';
import { deadlineExceeded, timeoutMs } from './deadline.ts';
import { envelope, flagEnd, maxMessageBytes, readEnvelopes, tooLarge } from './envelope.ts';
import type { CallContext, ClientStreamMethod, Method, ServerStreamMethod, UnaryMethod } from './method.ts';
import { ServerStream } from './stream.ts';

const unaryTypes = ['application/json', 'application/json; charset=utf-8', 'application/proto'];
const streamTypes = [
  'application/connect+json',
  'application/connect+json; charset=utf-8',
  'application/connect+proto',
];

export type ContextBase = Omit<CallContext, 'timeoutMs'>;

export async function dispatch(
  method: Method,
  request: IncomingMessage,
  response: ServerResponse,
  context: ContextBase,
): Promise<void> {
  const contentType = (request.headers['content-type'] ?? '').toLowerCase().replace(/;\s*/, '; ');
  const accepted = method.kind === 'unary' ? unaryTypes : streamTypes;
  if (!accepted.includes(contentType)) {
    response.writeHead(415, { 'accept-post': accepted.join(', '), 'content-length': '0' }).end();
    request.resume();
    return;
  }
  const format: Format = contentType.endsWith('proto') ? 'proto' : 'json';
  if (method.kind === 'unary') return await callUnary(method, request, response, context, format, contentType);
  if (method.kind === 'server-stream') {
    return await callServerStream(method, request, response, context, format, contentType);
  }
  return await callClientStream(method, request, response, context, format, contentType);
}

async function callUnary(
  method: UnaryMethod,
  request: IncomingMessage,
  response: ServerResponse,
  base: ContextBase,
  format: Format,
  contentType: string,
): Promise<void> {
  try {
    const context = withDeadline(base, request, 'content-encoding');
    const input = decode(method.input, format, await readAll(request));
    if (context.timeoutMs !== undefined && context.timeoutMs <= 0) throw deadlineExceeded();
    const output = await inTime(method.call(input as never, context), context.timeoutMs);
    const body =
      format === 'json' && method.encodeJson !== undefined
        ? await method.encodeJson(output as never)
        : encode(method.output, format, create(method.output, output as MessageInitShape<DescMessage>));
    response.writeHead(200, { 'content-type': contentType, 'content-length': body.byteLength }).end(body);
  } catch (thrown) {
    writeUnaryError(response, RuntimeError.from(thrown));
  }
}

async function callServerStream(
  method: ServerStreamMethod,
  request: IncomingMessage,
  response: ServerResponse,
  base: ContextBase,
  format: Format,
  contentType: string,
): Promise<void> {
  const stream = new ServerStream(response, format, contentType);
  try {
    const context = withDeadline(base, request, 'connect-content-encoding');
    let input: unknown;
    let count = 0;
    for await (const message of readEnvelopes(request)) {
      count += 1;
      if (count > 1) throw new RuntimeError('unimplemented', 'unary request has multiple messages');
      input = decode(method.input, format, message.payload);
    }
    if (count === 0) throw new RuntimeError('unimplemented', 'unary request has zero messages');
    await method.call(input as never, context, stream);
    stream.end();
  } catch (thrown) {
    stream.end(RuntimeError.from(thrown));
  }
}

async function callClientStream(
  method: ClientStreamMethod,
  request: IncomingMessage,
  response: ServerResponse,
  base: ContextBase,
  format: Format,
  contentType: string,
): Promise<void> {
  const stream = new ServerStream(response, format, contentType);
  try {
    const context = withDeadline(base, request, 'connect-content-encoding');
    if (context.timeoutMs !== undefined && context.timeoutMs <= 0) throw deadlineExceeded();
    const output = await inTime(method.call(decoded(method.input, format, request), context), context.timeoutMs);
    stream.send(method.output, create(method.output, output as MessageInitShape<DescMessage>));
    stream.end();
  } catch (thrown) {
    stream.end(RuntimeError.from(thrown));
  }
}

async function* decoded(desc: DescMessage, format: Format, request: IncomingMessage): AsyncGenerator<never> {
  for await (const message of readEnvelopes(request)) yield decode(desc, format, message.payload) as never;
}

function withDeadline(base: ContextBase, request: IncomingMessage, encodingHeader: string): CallContext {
  const version = base.header('connect-protocol-version');
  if (version !== undefined && version !== '1') {
    throw new RuntimeError('invalid_argument', `Connect-Protocol-Version must be "1": got "${version}"`);
  }
  const encoding = request.headers[encodingHeader];
  if (typeof encoding === 'string' && encoding !== '' && encoding !== 'identity') {
    throw new RuntimeError('unimplemented', `unknown compression "${encoding}": send it uncompressed`);
  }
  return { ...base, timeoutMs: timeoutMs(base.header('connect-timeout-ms')) };
}

async function inTime<T>(result: Promise<T> | T, ms: number | undefined): Promise<T> {
  if (ms === undefined || !(result instanceof Promise)) return await result;
  let timer: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(deadlineExceeded()), Math.min(ms, 2 ** 31 - 1));
    });
    return await Promise.race([result, late]);
  } finally {
    clearTimeout(timer);
  }
}

async function readAll(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxMessageBytes) throw tooLarge(size);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] ?? Buffer.alloc(0)) : Buffer.concat(chunks);
}

export function writeUnaryError(response: ServerResponse, error: RuntimeError): void {
  const body = Buffer.from(JSON.stringify({ code: error.code, message: error.message }), 'utf8');
  response.writeHead(connectStatus[error.code], {
    'content-type': 'application/json',
    'content-length': body.byteLength,
  });
  response.end(body);
}

/** The whole body of a stream that ends with an error before its first message. */
export function failedStreamBody(error: RuntimeError): Buffer {
  return envelope(
    flagEnd,
    Buffer.from(JSON.stringify({ error: { code: error.code, message: error.message } }), 'utf8'),
  );
}
