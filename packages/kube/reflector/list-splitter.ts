import { KubeError } from '../errors.ts';
import { hasKey, incomplete, notJson, readMember, type Span, scanObject, skipSpace, skipValue } from './scan.ts';

export interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
}

const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const itemsKey = Buffer.from('items');
const metadataKey = Buffer.from('metadata');

/**
 * Cuts the answer to a list into its objects while it arrives. Push a chunk, then take spans with `next()` until it
 * returns undefined; a span points into `bytes` and holds until the next push.
 *
 * The API server writes `metadata` before `items` for built-in kinds and after them for custom ones, so `meta` is
 * certain only after `finish()`.
 */
export class ListSplitter {
  bytes: Buffer = Buffer.alloc(0);
  meta: ListMeta = {};
  #at = 0;
  #where: 'start' | 'members' | 'items' | 'done' = 'start';
  #hasItems = false;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #wanted = 0;

  push(chunk: Buffer): void {
    this.#held.push(chunk);
    this.#heldBytes += chunk.length;
    // An object larger than a chunk is tried again only when twice as much has come: linear, however large it is.
    if (this.#heldBytes + this.bytes.length - this.#at >= this.#wanted) this.#join();
  }

  #join(): void {
    const rest = this.bytes.subarray(this.#at);
    const first = this.#held[0];
    this.bytes = rest.length === 0 && this.#held.length === 1 && first ? first : Buffer.concat([rest, ...this.#held]);
    this.#at = 0;
    this.#held = [];
    this.#heldBytes = 0;
    this.#wanted = 0;
  }

  next(): Span | undefined {
    const before = this.#at;
    const span = this.#step();
    if (span === undefined && this.#where !== 'done') this.#wanted = 2 * (this.bytes.length - this.#at);
    else if (this.#at === before && span) throw notJson(this.#at);
    return span;
  }

  /** Throws when the answer was cut short. A chunk that was held back is taken now: call `next()` until undefined. */
  flush(): void {
    if (this.#held.length > 0) this.#join();
  }

  finish(): ListMeta {
    if (this.#where !== 'done') {
      throw new KubeError('connection-lost', 'the answer to a list was cut short; it will be asked for again');
    }
    if (!this.#hasItems) {
      throw new KubeError(
        'bad-response',
        'the answer to a list has no items; check that the address is a Kubernetes API',
      );
    }
    return this.meta;
  }

  #step(): Span | undefined {
    for (;;) {
      this.#at = skipSpace(this.bytes, this.#at);
      const byte = this.bytes[this.#at];
      if (byte === undefined) return undefined;
      switch (this.#where) {
        case 'start':
          if (byte !== openBrace) throw notJson(this.#at);
          this.#at++;
          this.#where = 'members';
          break;
        case 'members':
          if (byte === comma) this.#at++;
          else if (byte === closeBrace) {
            this.#at++;
            this.#where = 'done';
          } else if (!this.#member()) return undefined;
          break;
        case 'items': {
          if (byte === comma) {
            this.#at++;
            break;
          }
          if (byte === closeBracket) {
            this.#at++;
            this.#where = 'members';
            break;
          }
          const span = scanObject(this.bytes, this.#at);
          if (span === incomplete) return undefined;
          this.#at = span.end;
          return span;
        }
        case 'done':
          throw notJson(this.#at);
      }
    }
  }

  /** Takes one member of the list itself. False when its bytes are not all there. */
  #member(): boolean {
    const member = readMember(this.bytes, this.#at);
    if (member === incomplete) return false;
    if (hasKey(this.bytes, member, itemsKey)) {
      this.#hasItems = true;
      if (this.bytes[member.value] === openBracket) {
        this.#at = member.value + 1;
        this.#where = 'items';
        return true;
      }
    }
    const end = skipValue(this.bytes, member.value);
    if (end === incomplete) return false;
    if (hasKey(this.bytes, member, metadataKey)) {
      this.meta = JSON.parse(this.bytes.toString('utf8', member.value, end)) as ListMeta;
    }
    this.#at = end;
    return true;
  }
}
