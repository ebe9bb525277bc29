/** Amounts such as `500m`, `2Gi`, `1e3`, kept exactly to the billionth, which is as fine as Kubernetes has them. */
const PATTERN = /^([+-]?)(\d+(?:\.\d*)?|\.\d+)(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d{1,9})?$/;
const BINARY = ['Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const NANO = 1_000_000_000n;
const MAX_INT64 = 2n ** 63n - 1n;
/** Beyond every capacity there is; keeps a text of ten digits from becoming a number of gigabytes. */
const MAX_EXPONENT = 40;

export class Quantity {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }

  /** Undefined for what is no quantity. */
  static parse(text: string): Quantity | undefined {
    const match = PATTERN.exec(text);
    if (!match) return undefined;
    const [, sign, digits = '0', suffix = ''] = match;
    const [whole = '0', fraction = ''] = digits.split('.');
    const binary = BINARY.indexOf(suffix);
    const exponent = Math.max(-MAX_EXPONENT, Math.min(MAX_EXPONENT, DECIMAL[suffix] ?? exponentOf(suffix, binary)));
    const mantissa = BigInt(whole + fraction) * (binary >= 0 ? 1024n ** BigInt(binary + 1) : 1n);
    const scale = exponent - fraction.length + 9;
    // Finer than a billionth is rounded up, away from zero.
    const nanos = scale >= 0 ? mantissa * 10n ** BigInt(scale) : ceilDivide(mantissa, 10n ** BigInt(-scale));
    return new Quantity(sign === '-' ? -nanos : nanos);
  }

  get isInteger(): boolean {
    const whole = this.nanos / NANO;
    return this.nanos % NANO === 0n && whole <= MAX_INT64 && whole >= -MAX_INT64 - 1n;
  }

  /** Only of an integer. */
  get integer(): bigint {
    return this.nanos / NANO;
  }

  get float(): number {
    return Number(this.nanos) / 1e9;
  }

  compare(other: Quantity): -1 | 0 | 1 {
    if (this.nanos === other.nanos) return 0;
    return this.nanos < other.nanos ? -1 : 1;
  }
}

function exponentOf(suffix: string, binary: number): number {
  return binary >= 0 || suffix === '' ? 0 : Number(suffix.slice(1));
}

function ceilDivide(value: bigint, by: bigint): bigint {
  return value / by + (value % by === 0n ? 0n : 1n);
}
