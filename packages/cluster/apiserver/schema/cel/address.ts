/** IP addresses and ranges as numbers, for the rules that compare them. */
import { isIPv4, isIPv6 } from 'node:net';

export class Address {
  readonly family: 4 | 6;
  readonly bits: bigint;
  constructor(family: 4 | 6, bits: bigint) {
    this.family = family;
    this.bits = bits;
  }

  /** Undefined for what is none, for zones, and for IPv4 written as IPv6: two names for one thing invite mistakes. */
  static parse(text: string): Address | undefined {
    if (isIPv4(text)) return new Address(4, fromBytes(text.split('.').map(Number), 8));
    if (!isIPv6(text) || text.includes('%')) return undefined;
    const address = new Address(6, fromBytes(groupsOf(text), 16));
    return address.bits >> 32n === 0xffffn ? undefined : address;
  }

  get length(): number {
    return this.family === 4 ? 32 : 128;
  }

  get isUnspecified(): boolean {
    return this.bits === 0n;
  }
  get isLoopback(): boolean {
    return this.family === 4 ? this.bits >> 24n === 127n : this.bits === 1n;
  }
  get isLinkLocalUnicast(): boolean {
    return this.family === 4 ? this.bits >> 16n === 0xa9fen : this.bits >> 118n === 0x3fan;
  }
  get isLinkLocalMulticast(): boolean {
    return this.family === 4 ? this.bits >> 8n === 0xe00000n : ((this.bits >> 112n) & 0xff0fn) === 0xff02n;
  }
  get isMulticast(): boolean {
    return this.family === 4 ? this.bits >> 28n === 0xen : this.bits >> 120n === 0xffn;
  }
  get isGlobalUnicast(): boolean {
    const isBroadcast = this.family === 4 && this.bits === 0xffffffffn;
    return !isBroadcast && !this.isUnspecified && !this.isLoopback && !this.isMulticast && !this.isLinkLocalUnicast;
  }

  toString(): string {
    if (this.family === 4) return [24n, 16n, 8n, 0n].map((shift) => (this.bits >> shift) & 0xffn).join('.');
    const groups = Array.from({ length: 8 }, (_, index) =>
      ((this.bits >> BigInt(112 - 16 * index)) & 0xffffn).toString(16),
    );
    return compress(groups);
  }
}

export class Range {
  readonly address: Address;
  readonly prefix: number;
  constructor(address: Address, prefix: number) {
    this.address = address;
    this.prefix = prefix;
  }

  static parse(text: string): Range | undefined {
    const [before = '', after = '', ...rest] = text.split('/');
    const address = Address.parse(before);
    if (!address || rest.length > 0 || !/^(0|[1-9]\d{0,2})$/.test(after) || Number(after) > address.length)
      return undefined;
    return new Range(address, Number(after));
  }

  get masked(): Range {
    const free = BigInt(this.address.length - this.prefix);
    return new Range(new Address(this.address.family, (this.address.bits >> free) << free), this.prefix);
  }

  contains(other: Address): boolean {
    const free = BigInt(this.address.length - this.prefix);
    return other.family === this.address.family && other.bits >> free === this.address.bits >> free;
  }

  toString(): string {
    return `${this.address}/${this.prefix}`;
  }
}

function fromBytes(parts: readonly number[], width: number): bigint {
  return parts.reduce((bits, part) => (bits << BigInt(width)) | BigInt(part), 0n);
}

function groupsOf(text: string): number[] {
  // The last two groups may be written as IPv4.
  const tail = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(text);
  const hex = (high: string | undefined, low: string | undefined) => (Number(high) * 256 + Number(low)).toString(16);
  const plain = tail ? `${tail[1]}${hex(tail[2], tail[3])}:${hex(tail[4], tail[5])}` : text;
  const [head = '', rest] = plain.split('::');
  const before = head === '' ? [] : head.split(':');
  const after = rest === undefined || rest === '' ? [] : rest.split(':');
  const zeros = Array<string>(8 - before.length - after.length).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** The first longest run of two zeros or more becomes `::`. */
function compress(groups: readonly string[]): string {
  const runs = groups.flatMap((_, start) => {
    let length = 0;
    while (groups[start + length] === '0') length++;
    return length > 1 ? [{ start, length }] : [];
  });
  const [longest] = runs.sort((a, b) => b.length - a.length || a.start - b.start);
  if (!longest) return groups.join(':');
  return `${groups.slice(0, longest.start).join(':')}::${groups.slice(longest.start + longest.length).join(':')}`;
}
