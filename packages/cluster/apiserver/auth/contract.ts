import type { User } from '../registry/resource.ts';

/** What a socket can say about its peer, beside headers. */
export interface Peer {
  /** DER of the client certificate, when one was shown and its chain was verified by TLS. */
  readonly certificate?: { readonly commonName: string; readonly organizations: readonly string[] } | undefined;
}

/** Undefined: no credentials at all. Throws an ApiError 401 for credentials that are wrong or expired. */
export type Authenticate = (
  headers: Readonly<Record<string, string | undefined>>,
  peer: Peer,
) => Promise<User | undefined> | User | undefined;

export interface Attributes {
  readonly user: User;
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Set when the request is for a path and not for an object. */
  readonly path: string | undefined;
}

export type Decision =
  | { readonly allowed: true; readonly reason?: string }
  | { readonly allowed: false; readonly reason: string };

export type Authorize = (attributes: Attributes) => Decision;
