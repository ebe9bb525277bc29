import type { KubeResponse } from '../transport/contract.ts';

/** `299 - "text"`, quotes and backslashes inside escaped; several may share one header (RFC 7234, 5.5). */
const warning = /299 \S+ "((?:[^"\\]|\\.)*)"/g;

export function warningsIn(headers: KubeResponse['headers']): string[] {
  const header = headers['warning'];
  if (header === undefined) return [];
  const text = typeof header === 'string' ? header : header.join(', ');
  return [...text.matchAll(warning)].map((match) => (match[1] ?? '').replace(/\\(.)/g, '$1'));
}
