/** The string formats that the real server checks. Names are compared without dashes; other formats are ignored. */
import { isIPv4, isIPv6 } from 'node:net';

const HEX_ID = /^[0-9a-fA-F]{24}$/;
const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID3 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?3[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const UUID4 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const UUID5 = /^[0-9a-f]{8}-?[0-9a-f]{4}-?5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$/i;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const HEX_COLOR = /^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/;
const RGB_COLOR = /^rgb\(\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*\)$/;
const SSN = /^\d{3}[- ]\d{2}[- ]\d{4}$/;
const MAC =
  /^([0-9a-f]{2}([:-])[0-9a-f]{2}(\2[0-9a-f]{2}){4}(\2[0-9a-f]{2}){0,14}|[0-9a-f]{4}(\.[0-9a-f]{4}){2}(\.[0-9a-f]{4}){0,7})$/i;
const DIGITS_AND_ZONE = /^(\d{2}):(\d{2}):(\d{2})(.\d+)?(z|[+-]\d{2}:\d{2})$/;
/** One label of letters, digits and symbols, or several and a top level of letters. */
const HOST_LABEL = /^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]*[a-zA-Z0-9\p{S}\p{L}])?$/u;
const TOP_LEVEL = /^[a-zA-Z\p{L}]{2,63}$/u;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: (text) => HEX_ID.test(text),
  uri: isRequestUri,
  email: isEmail,
  hostname: isHostname,
  ipv4: (text) => isSloppyIPv4(text) || (isIPv6(text) && text.includes('.')),
  ipv6: (text) => isIPv6(text) && !text.includes('%'),
  cidr: isSloppyCidr,
  mac: (text) => MAC.test(text),
  uuid: (text) => UUID.test(text),
  uuid3: (text) => UUID3.test(text),
  uuid4: (text) => UUID4.test(text),
  uuid5: (text) => UUID5.test(text),
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  creditcard: isCreditCard,
  ssn: (text) => SSN.test(text),
  hexcolor: (text) => HEX_COLOR.test(text),
  rgbcolor: (text) => RGB_COLOR.exec(text)?.slice(1).every(isByte) ?? false,
  byte: (text) => text.length > 0 && text.length % 4 === 0 && BASE64.test(text),
  password: () => true,
  date: isDate,
  duration: (text) => isGoDuration(text) || isWordyDuration(text),
  datetime: isDateTime,
  k8sshortname: (text) => text.length <= 63 && LABEL.test(text),
  k8slongname: (text) => text.length <= 253 && text.split('.').every((label) => LABEL.test(label)),
};

const normalized = (format: string) => format.replaceAll('-', '');

/** The check of a string format; undefined for formats that nobody enforces. */
export function formatCheck(format: string): ((text: string) => boolean) | undefined {
  const name = normalized(format);
  return Object.hasOwn(checks, name) ? checks[name] : undefined;
}

/** Whether a format means anything for values of this type; otherwise the real server drops it from the schema. */
export function isKnownFormat(format: string, type: string | undefined): boolean {
  if (type === undefined || type === 'string') return formatCheck(format) !== undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64';
  return type === 'number' && (format === 'float' || format === 'double');
}

export function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  const date = new Date(Date.UTC(2000, month - 1, day));
  date.setUTCFullYear(year, month - 1, day);
  return month >= 1 && month <= 12 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
}

export function isDateTime(text: string): boolean {
  const [date, time] = text.toLowerCase().split('t');
  if (date === undefined || time === undefined || !isDate(date)) return false;
  const match = DIGITS_AND_ZONE.exec(time);
  if (!match) return false;
  const [, hours = '', minutes = '', seconds = ''] = match;
  return hours <= '23' && minutes <= '59' && seconds <= '59';
}

const GO_DURATION = /^[-+]?((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/;
const isGoDuration = (text: string) => text === '0' || text === '+0' || text === '-0' || GO_DURATION.test(text);

/** `3 days`, `2wk`: anywhere in the text, as lenient as the original. */
const UNITS = ['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk'];
const UNIT_PREFIXES = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];
function isWordyDuration(text: string): boolean {
  for (const [, unit = ''] of text.matchAll(/\d+\s*([A-Za-zµ]+)/g)) {
    const lower = unit.toLowerCase();
    if (UNITS.includes(lower) || UNIT_PREFIXES.some((prefix) => lower.startsWith(prefix))) return true;
  }
  return false;
}

const isByte = (text: string) => Number(text) <= 255 && (text === '0' || !text.startsWith('0'));

/** Leading zeros are taken, for objects written before they were refused. */
const unpadded = (text: string) => text.replace(/(^|\.)0+(?=\d)/g, '$1');
export const isSloppyIPv4 = (text: string) => isIPv4(unpadded(text));
function isSloppyCidr(text: string): boolean {
  const [address = '', bits = '', ...rest] = text.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  if (isSloppyIPv4(address)) return Number(bits) <= 32;
  return isIPv6(address) && !address.includes('%') && Number(bits) <= 128;
}

/** An absolute path or an absolute URL. */
export function isRequestUri(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused here.
  if (text === '' || /[\x00-\x1f\x7f]/.test(text) || /%(?![0-9a-fA-F]{2})/.test(text.split('?')[0] ?? '')) return false;
  if (text === '*') return true;
  if (text.startsWith('/')) return true;
  const match = /^[a-zA-Z][a-zA-Z0-9+.-]*:(.*)$/.exec(text);
  if (!match) return false;
  const rest = match[1] ?? '';
  if (!rest.startsWith('//')) return true;
  const authority = /^\/\/([^/?#]*)/.exec(rest)?.[1] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  if (/[\s<>"{}|\\^`]/.test(host)) return false;
  const port = /:([^:\]]*)$/.exec(host)?.[1];
  return port === undefined || /^\d*$/.test(port);
}

/** A bare address or one with a display name: `Ada <ada@example.com>`. */
function isEmail(text: string): boolean {
  const address = /^(?:[^<>@]*\s)?<([^<>]+)>$/.exec(text.trim())?.[1] ?? text.trim();
  return /^(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|"(?:[^"\\\r\n]|\\.)*")@(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*|\[[^\]\s]+\])$/.test(
    address,
  );
}

function isHostname(text: string): boolean {
  if (Buffer.byteLength(text) > 255) return false;
  const labels = text.split('.');
  if (!labels.every((label) => Buffer.byteLength(label) <= 63)) return false;
  if (labels.length === 1) {
    // A dash may only follow the first character of a single label.
    return /^[a-zA-Z0-9\p{S}\p{L}](-?[a-zA-Z0-9\p{S}\p{L}]{0,62})?$/u.test(text);
  }
  const top = labels.pop() ?? '';
  return TOP_LEVEL.test(top) && labels.every((label) => HOST_LABEL.test(label));
}

const compact = (text: string) => text.replace(/[\s-]+/g, '');
function isIsbn10(text: string): boolean {
  const digits = compact(text);
  if (!/^(?:[0-9]{9}X|[0-9]{10})$/.test(digits)) return false;
  const sum = [...digits].reduce(
    (total, digit, index) => total + (index + 1) * (digit === 'X' ? 10 : Number(digit)),
    0,
  );
  return sum % 11 === 0;
}
function isIsbn13(text: string): boolean {
  const digits = compact(text);
  if (!/^[0-9]{13}$/.test(digits)) return false;
  return [...digits].reduce((total, digit, index) => total + Number(digit) * (index % 2 === 0 ? 1 : 3), 0) % 10 === 0;
}

const CARD =
  /^(?:4[0-9]{12}(?:[0-9]{3})?|5[1-5][0-9]{14}|6(?:011|5[0-9][0-9])[0-9]{12}|3[47][0-9]{13}|3(?:0[0-5]|[68][0-9])[0-9]{11}|(?:2131|1800|35\d{3})\d{11})$/;
function isCreditCard(text: string): boolean {
  const digits = text.replace(/[^0-9]+/g, '');
  if (!CARD.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 1 : 2);
    return total + (value >= 10 ? (value % 10) + 1 : value);
  }, 0);
  return sum % 10 === 0;
}
