/** The protobuf wire format, writing only. As in proto3, what is zero is not written. */

export function varint(value: number): Buffer {
  const out: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    out.push((rest % 0x80) | 0x80);
    rest = Math.floor(rest / 0x80);
  }
  out.push(rest);
  return Buffer.from(out);
}

const tag = (number: number, form: number) => varint(number * 8 + form);

/** Any bytes, also none: a message that is there and empty is not the same as no message. */
export const bytesField = (number: number, value: Buffer): Buffer[] => [tag(number, 2), varint(value.length), value];

export const textField = (number: number, value: string): Buffer[] =>
  value === '' ? [] : bytesField(number, Buffer.from(value, 'utf8'));

export const boolField = (number: number, value: boolean): Buffer[] => (value ? [tag(number, 0), varint(1)] : []);

/** Counts and lengths: never negative here. */
export const countField = (number: number, value: number): Buffer[] =>
  value > 0 ? [tag(number, 0), varint(value)] : [];

export function doubleField(number: number, value: number): Buffer[] {
  if (value === 0) return [];
  const bits = Buffer.alloc(8);
  bits.writeDoubleLE(value);
  return [tag(number, 1), bits];
}
