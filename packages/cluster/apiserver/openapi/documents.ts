/** Documents that clients fetch again and again and that change only when kinds come or go. */
import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '../http/exchange.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';

export interface Document {
  readonly type: string;
  readonly body: string | Buffer;
  /** Upper-case hexadecimal, which names the content. */
  readonly hash: string;
}

export function documentOf(type: string, body: string | Buffer): Document {
  return { type, body, hash: createHash('sha512').update(body).digest('hex').toUpperCase() };
}

export const jsonDocument = (value: unknown, type = 'application/json') => documentOf(type, JSON.stringify(value));

/** The document, or 304 to a caller that has it. */
export function answer(
  request: ApiRequest,
  { type, body, hash }: Document,
  headers: Readonly<Record<string, string>>,
): ApiResponse {
  const etag = `"${hash}"`;
  const all = { etag, vary: 'Accept', ...headers };
  const known = request.headers['if-none-match'];
  if (known?.split(',').some((one) => one.trim() === etag)) return { status: 304, headers: all, body: '' };
  return { status: 200, headers: { ...all, 'content-type': type }, body };
}

/** Built when it is first asked for, and again after the kinds changed. */
export function byGeneration<T>(registry: Registry, build: (resources: readonly Resource[]) => T): () => T {
  let made: { readonly generation: number; readonly value: T } | undefined;
  return () => {
    if (made?.generation !== registry.generation)
      made = { generation: registry.generation, value: build(registry.all()) };
    return made.value;
  };
}

export const isRead = ({ method }: ApiRequest) => method === 'GET' || method === 'HEAD';
export const trimmed = (path: string) => path.replace(/\/$/, '');
