/** Signed tokens of service accounts: made here, and checked here. A token is as good as the objects that it names. */
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { Store } from '../../../store/store.ts';
import type { User } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { BoundedCache } from './bounded-cache.ts';
import { type Claims, claimsOf, LEGACY_ISSUER, payloadOf } from './claims.ts';
import { invalidation } from './liveness.ts';

export interface ServiceAccountTokensOptions {
  readonly store: Store;
  /** PEM of the P-256 private key. */
  readonly key: string;
  /** Who signs; the first audience of the API server, unless others are given. */
  readonly issuer?: string;
  readonly audiences?: readonly string[];
  readonly now: () => number;
}

export type Verification =
  | { readonly ok: true; readonly user: User; readonly audiences: readonly string[] }
  /** Undefined: not a token of ours at all. */
  | { readonly ok: false; readonly reason: string | undefined };

export const DEFAULT_ISSUER = 'https://kubernetes.default.svc';
const ALGORITHM = 'ES256';
/** Tokens whose signature was checked. What they name is looked up at every use, so nothing here can be out of date. */
const CACHED_TOKENS = 4096;

export class ServiceAccountTokens {
  readonly issuer: string;
  /** Whom a token must be meant for to be good at this server. */
  readonly audiences: readonly string[];
  readonly #options: ServiceAccountTokensOptions;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;
  readonly #verified = new BoundedCache<Claims>(CACHED_TOKENS);

  constructor(options: ServiceAccountTokensOptions) {
    this.#options = options;
    this.issuer = options.issuer ?? DEFAULT_ISSUER;
    this.audiences = options.audiences ?? [this.issuer];
    this.#privateKey = createPrivateKey(options.key);
    this.#publicKey = createPublicKey(this.#privateKey);
    const spki = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#keyId = createHash('sha256').update(spki).digest('base64url');
  }

  sign(claims: Claims): Promise<string> {
    return new SignJWT(payloadOf(claims, this.issuer) as JWTPayload)
      .setProtectedHeader({ alg: ALGORITHM, kid: this.#keyId })
      .sign(this.#privateKey);
  }

  /** `audiences`: whom the caller speaks for; a token must be meant for one of them. */
  async verify(token: string, audiences: readonly string[] = this.audiences): Promise<Verification> {
    const claims = await this.#claims(token);
    if (!claims) return { ok: false, reason: undefined };
    const seconds = this.#options.now() / 1000;
    if (claims.expires !== undefined && seconds >= claims.expires) return refused('service account token has expired');
    if (claims.notBefore !== undefined && seconds < claims.notBefore)
      return refused('service account token is not valid yet');
    // Legacy tokens name no audience: they are for the API server alone.
    const meantFor = claims.secretToken ? this.audiences : claims.audiences;
    const shared = audiences.filter((audience) => meantFor.includes(audience));
    if (shared.length === 0) {
      return refused(`token audiences ${list(meantFor)} is invalid for the target audiences ${list(audiences)}`);
    }
    const invalid = invalidation(this.#options.store, claims, token, this.#options.now());
    return invalid === undefined ? { ok: true, user: userOf(claims), audiences: shared } : refused(invalid);
  }

  /** What `/openid/v1/jwks` serves: whoever holds this can check our tokens. */
  keySet(): JsonObject {
    const { x = '', y = '' } = this.#publicKey.export({ format: 'jwk' });
    return { keys: [{ use: 'sig', kty: 'EC', kid: this.#keyId, crv: 'P-256', alg: ALGORITHM, x, y }] };
  }

  /** What `/.well-known/openid-configuration` serves. */
  discovery(serverUrl: string): JsonObject {
    return {
      issuer: this.issuer,
      jwks_uri: `${serverUrl}/openid/v1/jwks`,
      response_types_supported: ['id_token'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [ALGORITHM],
    };
  }

  async #claims(token: string): Promise<Claims | undefined> {
    const cached = this.#verified.get(token);
    if (cached) return cached;
    try {
      const { payload } = await jwtVerify(token, this.#publicKey, {
        algorithms: [ALGORITHM],
        issuer: [this.issuer, LEGACY_ISSUER],
        // Times are judged above, at every use and with their own words.
        currentDate: new Date(0),
        clockTolerance: Number.MAX_SAFE_INTEGER,
      });
      const claims = claimsOf(payload);
      if (claims) this.#verified.set(token, claims);
      return claims;
    } catch {
      // Not signed by us, or no token at all. Why is nobody's business.
      return undefined;
    }
  }
}

const refused = (reason: string): Verification => ({ ok: false, reason });
const list = (audiences: readonly string[]) => `[${audiences.map((one) => JSON.stringify(one)).join(' ')}]`;

function userOf({ namespace, account, pod, node, id }: Claims): User {
  const extra = {
    ...(id === undefined ? {} : { 'authentication.kubernetes.io/credential-id': [`JTI=${id}`] }),
    ...(node ? { 'authentication.kubernetes.io/node-name': [node.name] } : {}),
    ...(node?.uid ? { 'authentication.kubernetes.io/node-uid': [node.uid] } : {}),
    ...(pod
      ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] }
      : {}),
  };
  return {
    name: `system:serviceaccount:${namespace}:${account.name}`,
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`],
    ...(Object.keys(extra).length > 0 ? { extra } : {}),
  };
}
