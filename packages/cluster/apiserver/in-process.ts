/** The API server as a Transport: callers in the same process speak to it without a socket, and can't tell. */
import { KubeError, type KubeRequest, type KubeResponse, type KubeStream, type Transport } from '@sandbank/kube';
import type { Peer } from './auth/contract.ts';
import type { ApiResponse } from './http/exchange.ts';
import type { Handle } from './http/handler.ts';

/** Who such a caller is; the process trusts itself. */
export interface InProcessUser {
  readonly name: string;
  readonly groups: readonly string[];
}

export function inProcessTransport(handle: Handle, user: InProcessUser): Transport {
  const closing = new AbortController();
  const peer: Peer = { certificate: { commonName: user.name, organizations: user.groups } };

  async function call(request: KubeRequest): Promise<[ApiResponse, AbortController]> {
    if (closing.signal.aborted) throw new KubeError('aborted', 'the connection to the embedded API server was closed');
    const abort = new AbortController();
    const end = () => abort.abort();
    closing.signal.addEventListener('abort', end, { once: true });
    request.signal?.addEventListener('abort', end, { once: true });
    if (request.signal?.aborted) throw new KubeError('aborted', 'the caller aborted', { cause: request.signal.reason });
    const { body } = request;
    const response = await handle({
      method: request.method,
      path: request.path,
      query: queryOf(request.query),
      headers: request.headers ?? {},
      body:
        body === undefined
          ? Buffer.alloc(0)
          : typeof body === 'string'
            ? Buffer.from(body)
            : Buffer.from(body.buffer, body.byteOffset, body.byteLength),
      signal: abort.signal,
      peer,
    });
    return [response, abort];
  }

  return {
    async request(request): Promise<KubeResponse> {
      const [{ status, headers, body }] = await call(request);
      return { status, headers, body: await whole(body) };
    },
    async stream(request): Promise<KubeStream> {
      const [{ status, headers, body }, abort] = await call(request);
      return { status, headers, body: pieces(body), close: () => abort.abort() };
    },
    async connect() {
      throw new KubeError(
        'unavailable',
        'exec, attach and port-forward need a socket to the embedded API server: connect with its kubeconfig',
      );
    },
    async close() {
      closing.abort();
    },
  };
}

function queryOf(query: KubeRequest['query'] = {}): URLSearchParams {
  const result = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    for (const one of Array.isArray(value) ? value : [value]) result.append(name, String(one));
  }
  return result;
}

async function whole(body: ApiResponse['body']): Promise<Buffer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body);
  const chunks: Buffer[] = [];
  for await (const piece of body) chunks.push(Buffer.from(piece));
  return Buffer.concat(chunks);
}

async function* pieces(body: ApiResponse['body']): AsyncGenerator<Buffer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) yield Buffer.from(body);
  else for await (const piece of body) yield Buffer.from(piece);
}
