import { askedOf } from '../client/call.ts';
import type { Selection } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { KubeError } from '../errors.ts';
import { apiVersionOf, type Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';
import { errorFromAnswer } from '../transport/answer.ts';
import type { KubeStream, Transport } from '../transport/contract.ts';
import { decode, type Span } from './scan.ts';

export interface SourceOptions<T extends KubeObject> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  readonly selection?: Selection | undefined;
  /** Ask for metadata only: less to send, decode and keep. The objects then have no spec and no status. */
  readonly metadataOnly?: boolean | undefined;
  /** Changes an object before anybody sees it, e.g. to drop fields that nobody reads. Must keep its metadata. */
  readonly transform?: ((object: T) => T) | undefined;
  /** Lists come compressed: a tenth or less of the bytes, inflated outside the event loop. Default true. */
  readonly compression?: boolean | undefined;
  readonly clock?: Clock | undefined;
}

/** Where the objects of one kind come from, and how their bytes become objects. */
export class Source<T extends KubeObject> {
  readonly transport: Transport;
  readonly kind: Kind<T>;
  readonly selection: Selection;
  readonly metadataOnly: boolean;
  readonly compression: boolean;
  readonly clock: Clock;
  readonly #transform: ((object: T) => T) | undefined;
  readonly #apiVersion: string;

  constructor(options: SourceOptions<T>) {
    this.transport = options.transport;
    this.kind = options.kind;
    this.selection = options.selection ?? {};
    this.metadataOnly = options.metadataOnly ?? false;
    this.compression = options.compression ?? true;
    this.clock = options.clock ?? systemClock;
    this.#transform = options.transform;
    this.#apiVersion = apiVersionOf(options.kind);
  }

  decode(bytes: Buffer, span: Span): T {
    const raw = decode(bytes, span) as T;
    // Items of a typed list carry no kind, those of a metadata list carry another one; a watch carries both.
    // Whoever reads the cache must not see from where an object came.
    const object =
      raw.kind === this.kind.kind && raw.apiVersion === this.#apiVersion
        ? raw
        : ({ ...raw, kind: this.kind.kind, apiVersion: this.#apiVersion } as T);
    if (object.metadata?.name === undefined || object.metadata.resourceVersion === undefined) {
      throw new KubeError('bad-response', `the server sent a ${this.kind.kind} without name or resourceVersion`);
    }
    return this.#transform ? this.#transform(object) : object;
  }

  /** Throws the server's own answer when it is not a success. */
  async judge(stream: KubeStream, verb: 'list' | 'watch'): Promise<void> {
    if (stream.status < 300) return;
    const chunks: Buffer[] = [];
    for await (const chunk of stream.body) chunks.push(chunk);
    throw errorFromAnswer(
      { status: stream.status, headers: stream.headers, body: Buffer.concat(chunks) },
      askedOf(this.transport, { verb, kind: this.kind }),
    );
  }
}
