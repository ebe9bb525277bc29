import { KubeError } from './errors.ts';

/**
 * Kubernetes quantities (`100m`, `1.5Gi`, `2e3`), exact. No float is involved: an amount is counted in nanos, the
 * smallest step that Kubernetes knows. What a real API server makes of a text stands in quantity-table.json.
 */
export interface Quantity {
  readonly nano: bigint;
  /** The family of suffixes that the text was written with, and is written with again. */
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

/** Every function here takes a quantity in any of the forms in which it appears in an object. */
export type QuantityLike = Quantity | string | number;

type Suffix = readonly [base: 2 | 10, exponent: number, format: Quantity['format']];

const suffixes: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ['n', [10, -9, 'DecimalSI']],
  ['u', [10, -6, 'DecimalSI']],
  ['m', [10, -3, 'DecimalSI']],
  ['', [10, 0, 'DecimalSI']],
  ['k', [10, 3, 'DecimalSI']],
  ['M', [10, 6, 'DecimalSI']],
  ['G', [10, 9, 'DecimalSI']],
  ['T', [10, 12, 'DecimalSI']],
  ['P', [10, 15, 'DecimalSI']],
  ['E', [10, 18, 'DecimalSI']],
  ['Ki', [2, 10, 'BinarySI']],
  ['Mi', [2, 20, 'BinarySI']],
  ['Gi', [2, 30, 'BinarySI']],
  ['Ti', [2, 40, 'BinarySI']],
  ['Pi', [2, 50, 'BinarySI']],
  ['Ei', [2, 60, 'BinarySI']],
]);
const suffixText = new Map([...suffixes].map(([text, [base, exponent]]) => [`${base}^${exponent}`, text]));

const nanosPerUnit = 1_000_000_000n;
/** Binary amounts saturate here, decimal ones do not: as in Kubernetes. */
const maxBinary = (2n ** 63n - 1n) * nanosPerUnit;
/** Kubernetes takes any exponent and then computes with it; nobody needs more, and memory is finite. */
const maxExponent = 1000;
const maxLength = 1024;

interface Parts {
  readonly negative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly suffix: Suffix;
}

export function parseQuantity(value: QuantityLike): Quantity {
  if (typeof value === 'object') return value;
  const { negative, whole, fraction, suffix } = split(value);
  const [base, exponent, family] = suffix;
  let format = family;
  const digits = BigInt(whole + fraction);
  const scale = 9 - fraction.length + (base === 10 ? exponent : 0);
  const units = base === 2 ? digits << BigInt(exponent) : digits;
  // More than a nano is rounded away from zero: who asks for a little gets a little, never nothing.
  let nano = scaled(units, scale);
  if (format === 'BinarySI' && nano > maxBinary) nano = maxBinary;
  if (format === 'BinarySI' && nano > 0n && nano < nanosPerUnit) format = 'DecimalSI';
  return { nano: negative ? -nano : nano, format };
}

/** The same without an exception: undefined when it is no quantity. */
export function tryParseQuantity(value: QuantityLike): Quantity | undefined {
  try {
    return parseQuantity(value);
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

/** The canonical form: no fraction, the largest suffix that loses nothing. */
export function formatQuantity(value: QuantityLike): string {
  const { nano, format } = parseQuantity(value);
  if (nano === 0n) return '0';
  const small = nano > -1024n * nanosPerUnit && nano < 1024n * nanosPerUnit;
  if (format === 'BinarySI' && !small && nano % nanosPerUnit === 0n) return formatBinary(nano / nanosPerUnit);
  return formatDecimal(nano, format === 'DecimalExponent');
}

/**
 * What a real API server answers for a quantity that it was sent in a field like `emptyDir.sizeLimit`. Mostly
 * `formatQuantity`; but a text that its quick look finds canonical comes back letter by letter, `+5` and `1.500` too.
 */
export function servedQuantity(value: string | number): string {
  return looksCanonical(value, -9) ? trimmed(value) : formatQuantity(value);
}

/** The same in a list of resources (`requests`, `limits`, `capacity`, …), which is rounded up to thousandths. */
export function servedResource(value: string | number): string {
  if (looksCanonical(value, -3)) return trimmed(value);
  const { format } = parseQuantity(value);
  return formatQuantity({ nano: quantityMilliValue(value) * 1_000_000n, format });
}

function looksCanonical(value: string | number, smallest: number): boolean {
  const { whole, fraction, suffix } = split(value);
  const [base, exponent] = suffix;
  const digits = whole + fraction;
  // The quick look takes only what fits 64 bits for certain; a binary multiple of 8 might be a multiple of 1024.
  if (base === 2) return fraction === '' && BigInt(digits) % 8n !== 0n && digits.length <= 14 - (exponent * 3) / 10;
  const scale = exponent - fraction.length;
  return (
    digits.length <= 18 && scale >= smallest && scale % 3 === 0 && !digits.endsWith('000') && !digits.startsWith('0')
  );
}

export function compareQuantities(a: QuantityLike, b: QuantityLike): -1 | 0 | 1 {
  const difference = parseQuantity(a).nano - parseQuantity(b).nano;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The sum is written like the first of the two that is not zero. */
export function addQuantities(a: QuantityLike, b: QuantityLike): Quantity {
  const [x, y] = [parseQuantity(a), parseQuantity(b)];
  return { nano: x.nano + y.nano, format: x.nano === 0n ? y.format : x.format };
}

export function subtractQuantities(a: QuantityLike, b: QuantityLike): Quantity {
  const [x, y] = [parseQuantity(a), parseQuantity(b)];
  return { nano: x.nano - y.nano, format: x.nano === 0n ? y.format : x.format };
}

/** By a whole number: a count of pods, mostly. */
export function multiplyQuantity(a: QuantityLike, factor: number | bigint): Quantity {
  if (typeof factor === 'number' && !Number.isSafeInteger(factor)) {
    throw new KubeError('invalid', `a quantity can be multiplied by a whole number, not by ${factor}`);
  }
  const { nano, format } = parseQuantity(a);
  return { nano: nano * BigInt(factor), format };
}

/** Whole units, rounded away from zero. */
export function quantityValue(value: QuantityLike): bigint {
  return scaled(parseQuantity(value).nano, -9);
}

/** Thousandths, rounded away from zero: how CPU is counted. */
export function quantityMilliValue(value: QuantityLike): bigint {
  return scaled(parseQuantity(value).nano, -6);
}

function split(value: string | number): Parts {
  const text = trimmed(value);
  const match = text.length <= maxLength ? /^([+-]?)(\d*)(?:\.(\d*))?([a-zA-Z]*[+-]?\d*)$/.exec(text) : null;
  if (!match || text === '') throw invalid(text, 'it must be a number and a suffix');
  const [, sign, whole = '', fraction = '', tail = ''] = match;
  const suffix = suffixes.get(tail) ?? exponentSuffix(text, tail);
  return { negative: sign === '-', whole: whole.replace(/^0+/, '') || '0', fraction, suffix };
}

/** Spaces around are let pass, as the server does; a line break is not. */
const trimmed = (value: string | number) => String(value).replace(/^ +| +$/g, '');

function exponentSuffix(text: string, tail: string): Suffix {
  const exponent = /^[eE]([+-]?\d+)$/.exec(tail)?.[1];
  if (exponent === undefined) {
    throw invalid(text, `its suffix must be one of ${[...suffixes.keys()].filter(Boolean).join(' ')}, or an exponent`);
  }
  const power = Number(exponent);
  if (Math.abs(power) > maxExponent) throw invalid(text, `its exponent is beyond ${maxExponent}`);
  return [10, power, 'DecimalExponent'];
}

function invalid(text: string, why: string): KubeError {
  const shown = text.length > 64 ? `${text.slice(0, 64)}…` : text;
  return new KubeError('invalid', `${JSON.stringify(shown)} is no quantity: ${why}, as in 500m, 1.5Gi or 2e3`);
}

/** `amount` times ten to the `power`, rounded away from zero. */
function scaled(amount: bigint, power: number): bigint {
  if (power >= 0) return amount * 10n ** BigInt(power);
  const divisor = 10n ** BigInt(-power);
  const quotient = amount / divisor;
  if (amount % divisor === 0n) return quotient;
  return amount < 0n ? quotient - 1n : quotient + 1n;
}

function formatBinary(units: bigint): string {
  let [rest, exponent] = [units, 0];
  while (exponent < 60 && rest % 1024n === 0n) [rest, exponent] = [rest / 1024n, exponent + 10];
  return `${rest}${suffixText.get(`2^${exponent}`) ?? ''}`;
}

function formatDecimal(nano: bigint, asExponent: boolean): string {
  let [rest, exponent] = [nano, -9];
  // Beyond exa there is no suffix: more digits then, where Kubernetes would drop the magnitude.
  while ((asExponent || exponent < 18) && rest % 1000n === 0n) [rest, exponent] = [rest / 1000n, exponent + 3];
  if (asExponent) return exponent === 0 ? `${rest}` : `${rest}e${exponent}`;
  return `${rest}${suffixText.get(`10^${exponent}`) ?? ''}`;
}
