/** How the real server prints values inside its messages: what `%q`, `%v` and its JSON encoder make of them. */
import type { Json } from './structural.ts';

const NAMED: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};
/** Spaces other than the plain one, and everything without a glyph, are escaped. */
const UNPRINTABLE = /["\\]|[^\P{C}]|[^\P{Z} ]/gu;

export function quote(text: string): string {
  return `"${text.replace(UNPRINTABLE, escapeRune)}"`;
}

function escapeRune(rune: string): string {
  const named = NAMED[rune];
  if (named !== undefined) return named;
  const code = rune.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, '0')}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** Shortest digits; exponents from 21 on and below -4, with two digits at least. */
export function formatNumber(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return String(value);
  const [digits = '', exponent = '0'] = value.toExponential().split('e');
  if (Number(exponent) >= -4 && Number(exponent) < 21) {
    return Math.abs(value) < 1e-6 ? value.toFixed(20).replace(/0+$/, '') : String(value);
  }
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${digits}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`;
}

/** Keys sorted, and what could end a script element escaped. */
export function formatJson(value: Json): string {
  return JSON.stringify(sortKeys(value)).replace(
    /[<>&\u2028\u2029]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function sortKeys(value: Json): Json {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key] ?? null)]),
  );
}

/** As the bad value of a field error. */
export function formatValue(value: Json): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'number') return formatNumber(value);
  return typeof value === 'boolean' ? String(value) : formatJson(value);
}
