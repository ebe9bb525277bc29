/** Conditional requests. Files have a time but no ETag, so `If-Match` never matches one. */
import type { IncomingHttpHeaders } from 'node:http';

export interface Condition {
  readonly status: 200 | 304 | 412;
  readonly ignoreRange: boolean;
}

export function conditionalStatus(headers: IncomingHttpHeaders, mtimeMs: number): Condition {
  const seconds = Math.floor(mtimeMs / 1000);
  const before = (name: 'if-modified-since' | 'if-unmodified-since'): boolean | undefined => {
    const time = Date.parse(headers[name] ?? '');
    return Number.isNaN(time) ? undefined : seconds <= Math.floor(time / 1000);
  };
  const match = headers['if-match'];
  if (match !== undefined) {
    if (match.trim() !== '*') return { status: 412, ignoreRange: false };
  } else if (before('if-unmodified-since') === false) {
    return { status: 412, ignoreRange: false };
  }
  const none = headers['if-none-match'];
  if (none !== undefined) {
    if (none.trim() === '*') return { status: 304, ignoreRange: false };
  } else if (before('if-modified-since') === true) {
    return { status: 304, ignoreRange: false };
  }
  const ifRange = headers['if-range'];
  if (typeof ifRange !== 'string') return { status: 200, ignoreRange: false };
  const time = Date.parse(ifRange);
  return { status: 200, ignoreRange: Number.isNaN(time) || Math.floor(time / 1000) !== seconds };
}
