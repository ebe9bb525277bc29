import type { KubeError } from '../errors.ts';

export interface RetryPolicy {
  /** How many times a call is tried again. */
  readonly retries: number;
  /** First wait of the exponential back-off, where the server names none. */
  readonly baseMs: number;
  /** Longest single wait. A server that asks for more gets its answer passed on to the caller. */
  readonly maxMs: number;
}

export const defaultRetry: RetryPolicy = { retries: 4, baseMs: 100, maxMs: 30_000 };

/** Verbs that change nothing. PUT and DELETE repeat badly: the second meets the first one's result (409, 404, or the next incarnation). */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

/** Seconds or an HTTP date; undefined when absent or unreadable. */
export function retryAfterMs(value: string | readonly string[] | undefined, now: number): number | undefined {
  if (typeof value !== 'string') return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

export interface Tried {
  readonly method: string;
  /** How often it was retried so far. */
  readonly retried: number;
  /** Milliseconds until the deadline. */
  readonly leftMs: number;
  readonly random: () => number;
}

/**
 * How long to wait before an answered request is sent again; undefined when the caller shall have the answer.
 * With Retry-After the server says that it did not process the request, so every verb may go again.
 */
export function waitAfterAnswer(
  status: number,
  retryAfter: number | undefined,
  tried: Tried,
  policy: RetryPolicy,
): number | undefined {
  if (status !== 429 && status < 500) return undefined;
  if (retryAfter === undefined && (status !== 503 || !isSafe(tried.method))) return undefined;
  // The back-off comes on top, for its jitter: everybody was told the same time.
  return (retryAfter ?? 0) > policy.maxMs
    ? undefined
    : bounded((retryAfter ?? 0) + backoff(tried, policy), tried, policy);
}

/** The same after a failure below HTTP: any verb while nothing was sent, else only those that change nothing. */
export function waitAfterFailure(
  error: KubeError,
  sent: boolean,
  tried: Tried,
  policy: RetryPolicy,
): number | undefined {
  const passing = error.code === 'connection-lost' || (error.code === 'unreachable' && !isNameError(error.cause));
  if (!passing || (sent && !isSafe(tried.method))) return undefined;
  return bounded(backoff(tried, policy), tried, policy);
}

function bounded(wait: number, tried: Tried, policy: RetryPolicy): number | undefined {
  // A wait that outlives the deadline would only turn a clear answer into a time-out.
  return tried.retried >= policy.retries || wait >= tried.leftMs ? undefined : wait;
}

/** Between half of the exponential step and the whole, so that a crowd does not return in step. */
function backoff(tried: Tried, policy: RetryPolicy): number {
  return Math.min(policy.maxMs, policy.baseMs * 2 ** tried.retried) * (0.5 + tried.random() / 2);
}

function isNameError(cause: unknown): boolean {
  return (cause as { code?: unknown } | undefined)?.code === 'ENOTFOUND';
}
