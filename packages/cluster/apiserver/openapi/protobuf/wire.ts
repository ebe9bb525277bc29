/** The protobuf wire format, reading only: numbered values of four forms, one after the other. */

export class WireError extends Error {
  override readonly name = 'WireError';
}

/** A number, or the bytes of a string, of a message or of packed numbers. */
export type WireValue = bigint | Buffer;

/** What was sent, in order, by field number. */
export type WireFields = ReadonlyMap<number, readonly WireValue[]>;

const MAX_VARINT_BYTES = 10;

export function readFields(bytes: Buffer): WireFields {
  const fields = new Map<number, WireValue[]>();
  let at = 0;

  while (at < bytes.length) {
    const tag = size();
    const number = tag >>> 3;
    if (number === 0) throw new WireError(`proto: illegal tag ${number} (wire type ${tag & 7})`);
    const value = payload(tag & 7);
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
  }
  return fields;

  function payload(form: number): WireValue {
    switch (form) {
      case 0:
        return varint();
      case 1:
        return take(8).readBigUInt64LE();
      case 2:
        return take(size());
      case 5:
        return BigInt(take(4).readUInt32LE());
      default:
        throw new WireError(`proto: illegal wireType ${form}`);
    }
  }

  /** Tags and lengths: nearly all have one byte, and none that is true has more than five. */
  function size(): number {
    let value = 0;
    for (let index = 0; index < 5; index++) {
      const next = byte();
      value += (next & 0x7f) * 2 ** (7 * index);
      if (next < 0x80) return value;
    }
    throw new WireError('proto: integer overflow');
  }

  function varint(): bigint {
    let value = 0n;
    for (let index = 0; index < MAX_VARINT_BYTES; index++) {
      const next = byte();
      value |= BigInt(next & 0x7f) << BigInt(7 * index);
      if (next < 0x80) return BigInt.asUintN(64, value);
    }
    throw new WireError('proto: integer overflow');
  }

  function byte(): number {
    const value = bytes[at++];
    if (value === undefined) throw new WireError('unexpected EOF');
    return value;
  }

  function take(length: number): Buffer {
    if (at + length > bytes.length) throw new WireError('unexpected EOF');
    at += length;
    return bytes.subarray(at - length, at);
  }
}

export function allBytes(values: readonly WireValue[] = []): Buffer[] {
  return values.map((value) => {
    if (typeof value === 'bigint') throw new WireError('proto: wrong wireType = 0');
    return value;
  });
}

/** The last one counts where one is expected. */
export const lastBytes = (values: readonly WireValue[] | undefined): Buffer | undefined => allBytes(values).at(-1);

export function lastNumber(values: readonly WireValue[] | undefined): bigint | undefined {
  const last = values?.at(-1);
  if (last !== undefined && typeof last !== 'bigint') throw new WireError('proto: wrong wireType = 2');
  return last;
}

/** Repeated numbers stand alone or packed into one run of bytes. */
export function numbers(values: readonly WireValue[]): bigint[] {
  return values.flatMap((value) => (typeof value === 'bigint' ? [value] : packed(value)));
}

function packed(bytes: Buffer): bigint[] {
  const found: bigint[] = [];
  let value = 0n;
  let shift = 0n;
  for (const byte of bytes) {
    value |= BigInt(byte & 0x7f) << shift;
    shift += 7n;
    if (byte >= 0x80) continue;
    found.push(value);
    value = 0n;
    shift = 0n;
  }
  if (shift !== 0n) throw new WireError('unexpected EOF');
  return found;
}
