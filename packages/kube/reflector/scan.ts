import { KubeError } from '../errors.ts';

/**
 * Finds things in JSON bytes without parsing them. Two reasons to do so: a list must be cut into objects before it can
 * be decoded in slices, and `managedFields` is half of the bytes of a typical object: what is never parsed costs neither
 * time nor garbage.
 *
 * Every function here returns `incomplete` when the bytes end before the value does, and throws when they are not JSON.
 */
export const incomplete = -1;

/** Where an object lies in its buffer, and where its `metadata.managedFields` member does (with one comma), if any. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly dropStart: number;
  readonly dropEnd: number;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

export function notJson(at: number): KubeError {
  return new KubeError('bad-response', `the server's answer is not JSON at byte ${at}`);
}

export function skipSpace(bytes: Buffer, from: number): number {
  let i = from;
  while (i < bytes.length && (bytes[i] as number) <= 0x20) i++;
  return i;
}

/** From the opening quote to just behind the closing one. */
function skipString(bytes: Buffer, from: number): number {
  const { length } = bytes;
  for (let i = from + 1; i < length; i++) {
    const byte = bytes[i];
    if (byte === quote) return i + 1;
    if (byte === backslash) i++;
  }
  return incomplete;
}

function skipNested(bytes: Buffer, from: number): number {
  const { length } = bytes;
  let depth = 0;
  let i = from;
  while (i < length) {
    const byte = bytes[i] as number;
    if (byte === quote) {
      i = skipString(bytes, i);
      if (i === incomplete) return incomplete;
      continue;
    }
    i++;
    if (byte === openBrace || byte === openBracket) depth++;
    else if ((byte === closeBrace || byte === closeBracket) && --depth === 0) return i;
  }
  return incomplete;
}

export function skipValue(bytes: Buffer, from: number): number {
  const first = bytes[from];
  if (first === undefined) return incomplete;
  if (first === quote) return skipString(bytes, from);
  if (first === openBrace || first === openBracket) return skipNested(bytes, from);
  let i = from;
  for (; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (byte === comma || byte === closeBrace || byte === closeBracket || byte <= 0x20) {
      if (i === from) throw notJson(i);
      return i;
    }
  }
  return incomplete;
}

/** A member of an object: its key (quotes included), and where its value begins. */
export interface Member {
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly value: number;
}

/** The member whose key starts at `from`. */
export function readMember(bytes: Buffer, from: number): Member | typeof incomplete {
  const first = bytes[from];
  if (first === undefined) return incomplete;
  if (first !== quote) throw notJson(from);
  const keyEnd = skipString(bytes, from);
  if (keyEnd === incomplete) return incomplete;
  const separator = skipSpace(bytes, keyEnd);
  if (separator >= bytes.length) return incomplete;
  if (bytes[separator] !== colon) throw notJson(separator);
  const value = skipSpace(bytes, separator + 1);
  return value >= bytes.length ? incomplete : { keyStart: from, keyEnd, value };
}

export function hasKey(bytes: Buffer, member: Member, key: Buffer): boolean {
  if (member.keyEnd - member.keyStart - 2 !== key.length) return false;
  const start = member.keyStart + 1;
  for (let i = 0; i < key.length; i++) if (bytes[start + i] !== key[i]) return false;
  return true;
}

/** Visits each member; `visit` returns the end of the value. Returns the end of the object. */
export function walkObject(bytes: Buffer, from: number, visit: (member: Member) => number): number {
  if (from >= bytes.length) return incomplete;
  if (bytes[from] !== openBrace) throw notJson(from);
  let i = skipSpace(bytes, from + 1);
  if (bytes[i] === closeBrace) return i + 1;
  for (;;) {
    const member = readMember(bytes, i);
    if (member === incomplete) return incomplete;
    const end = visit(member);
    if (end === incomplete) return incomplete;
    i = skipSpace(bytes, end);
    if (bytes[i] === closeBrace) return i + 1;
    if (i >= bytes.length) return incomplete;
    if (bytes[i] !== comma) throw notJson(i);
    i = skipSpace(bytes, i + 1);
  }
}

const metadataKey = Buffer.from('metadata');
const managedFieldsKey = Buffer.from('managedFields');

/** The span of the Kubernetes object that starts at `from`. */
export function scanObject(bytes: Buffer, from: number): Span | typeof incomplete {
  let dropStart = -1;
  let dropEnd = -1;
  const end = walkObject(bytes, from, (member) => {
    if (bytes[member.value] !== openBrace || !hasKey(bytes, member, metadataKey)) return skipValue(bytes, member.value);
    let before = -1;
    return walkObject(bytes, member.value, (inner) => {
      const innerEnd = skipValue(bytes, inner.value);
      if (innerEnd !== incomplete && hasKey(bytes, inner, managedFieldsKey)) {
        // One comma goes with the member: the one behind it or, when it is the last, the one before.
        const next = skipSpace(bytes, innerEnd);
        const commaBehind = bytes[next] === comma;
        dropStart = commaBehind || before < 0 ? inner.keyStart : before;
        dropEnd = commaBehind ? next + 1 : innerEnd;
      }
      before = innerEnd;
      return innerEnd;
    });
  });
  return end === incomplete ? incomplete : { start: from, end, dropStart, dropEnd };
}

/** Decodes one object, without its managedFields. The buffer may be shared with other readers and is not changed. */
export function decode(bytes: Buffer, span: Span): unknown {
  const text =
    span.dropStart < 0
      ? bytes.toString('utf8', span.start, span.end)
      : bytes.toString('utf8', span.start, span.dropStart) + bytes.toString('utf8', span.dropEnd, span.end);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new KubeError('bad-response', 'the server sent an object that is not JSON', { cause });
  }
}
