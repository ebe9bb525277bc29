/** Raw inotify events and what they mean to the SDKs. The bits are the kernel's; the meanings are those of the original. e2b 3.4 */
import { EventType } from '../generated/filesystem_pb.js';

export const bits = {
  modify: 0x2,
  attrib: 0x4,
  movedFrom: 0x40,
  movedTo: 0x80,
  create: 0x100,
  delete: 0x200,
  deleteSelf: 0x400,
  moveSelf: 0x800,
  overflow: 0x4000,
  ignored: 0x8000,
  isDirectory: 0x4000_0000,
} as const;

export interface RawEvent {
  readonly watch: number;
  readonly mask: number;
  readonly cookie: number;
  readonly name: string;
}

const header = 16;

export function* parseEvents(bytes: Buffer): Generator<RawEvent> {
  for (let at = 0; at + header <= bytes.byteLength; ) {
    const length = bytes.readUInt32LE(at + 12);
    const start = at + header;
    const padded = bytes.subarray(start, start + length);
    const end = padded.indexOf(0);
    yield {
      watch: bytes.readInt32LE(at),
      mask: bytes.readUInt32LE(at + 4),
      cookie: bytes.readUInt32LE(at + 8),
      name: padded.toString('utf8', 0, end === -1 ? length : end),
    };
    at = start + length;
  }
}

/** In the order of the original: create, rename, chmod, write, remove. */
export function eventTypes(mask: number): EventType[] {
  const types: EventType[] = [];
  if ((mask & (bits.create | bits.movedTo)) !== 0) types.push(EventType.CREATE);
  if ((mask & (bits.movedFrom | bits.moveSelf)) !== 0) types.push(EventType.RENAME);
  if ((mask & bits.attrib) !== 0) types.push(EventType.CHMOD);
  if ((mask & bits.modify) !== 0) types.push(EventType.WRITE);
  if ((mask & (bits.delete | bits.deleteSelf)) !== 0) types.push(EventType.REMOVE);
  return types;
}
