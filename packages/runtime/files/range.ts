/** One byte range of a file. Several ranges in one header are served as the whole file, which HTTP allows. */
export type RangeResult =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }
  | { readonly kind: 'malformed' };

/** `end` is inclusive, as in Content-Range. */
export function parseRange(header: string | undefined, size: number): RangeResult {
  if (header === undefined) return { kind: 'whole' };
  if (!header.startsWith('bytes=')) return { kind: 'malformed' };
  const parts = header.slice(6).split(',');
  if (parts.length > 1) return { kind: 'whole' };
  const match = /^\s*(\d*)\s*-\s*(\d*)\s*$/.exec(parts[0] ?? '');
  if (match === null || (match[1] === '' && match[2] === '')) return { kind: 'malformed' };
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size);
    return length === 0 ? { kind: 'unsatisfiable' } : { kind: 'part', start: size - length, end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return { kind: 'malformed' };
  return start >= size ? { kind: 'unsatisfiable' } : { kind: 'part', start, end };
}
