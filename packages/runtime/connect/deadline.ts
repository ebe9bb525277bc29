/** `Connect-Timeout-Ms` and `Keepalive-Ping-Interval` as recorded. e2b 3.2, 3.3 */
import { RuntimeError } from '../server/errors.ts';

/** Milliseconds until the deadline; undefined without a header. Zero and less mean: already over. */
export function timeoutMs(header: string | undefined): number | undefined {
  if (header === undefined || header === '') return undefined;
  if (header.length > 10) throw new RuntimeError('invalid_argument', `parse timeout: "${header}" has >10 digits`);
  if (!/^[+-]?\d+$/.test(header)) {
    throw new RuntimeError('invalid_argument', `parse timeout: parsing "${header}": invalid syntax`);
  }
  return Number.parseInt(header, 10);
}

export function deadlineExceeded(): RuntimeError {
  return new RuntimeError('deadline_exceeded', 'context deadline exceeded');
}

const defaultKeepAliveMs = 90_000;

/** The original crashes on zero and less; here they mean the default, like anything else that is not a number of seconds. */
export function keepAliveMs(header: string | undefined): number {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return defaultKeepAliveMs;
  const seconds = Number.parseInt(header, 10);
  return seconds > 0 ? seconds * 1000 : defaultKeepAliveMs;
}
