/** Who is it? A client certificate, a token that was handed out, or a token of a service account says so. */
import { unauthorized } from '../http/api-error.ts';
import type { User } from '../registry/resource.ts';
import type { Authenticate } from './contract.ts';
import type { ServiceAccountTokens, Verification } from './tokens/service-account-tokens.ts';
import { staticTokens, type TokenRecord } from './tokens/static-tokens.ts';

export interface AuthenticatorOptions {
  readonly serviceAccounts: ServiceAccountTokens;
  readonly tokens?: readonly TokenRecord[];
}

export interface Authenticator {
  readonly authenticate: Authenticate;
  /** What TokenReview asks: whose is this token, and is it meant for one of these? */
  review(token: string, audiences?: readonly string[]): Promise<Verification>;
}

/** A token is not longer than this, whoever made it. Longer ones are not even looked at. */
const MAX_TOKEN_LENGTH = 16 * 1024;

export function createAuthenticator({ serviceAccounts, tokens = [] }: AuthenticatorOptions): Authenticator {
  const known = staticTokens(tokens);

  async function review(token: string, audiences = serviceAccounts.audiences): Promise<Verification> {
    const user = known(token);
    if (user) {
      const shared = audiences.filter((audience) => serviceAccounts.audiences.includes(audience));
      return shared.length > 0 ? { ok: true, user, audiences: shared } : { ok: false, reason: undefined };
    }
    return serviceAccounts.verify(token, audiences);
  }

  return {
    review,
    authenticate: (headers, peer) => {
      const certificate = peer.certificate;
      if (certificate && certificate.commonName !== '') {
        return { name: certificate.commonName, groups: certificate.organizations };
      }
      const header = headers['authorization'];
      const token = header === undefined ? undefined : bearerOf(header);
      if (token === undefined) return undefined;
      if (token === '' || token.length > MAX_TOKEN_LENGTH) throw unauthorized();
      return review(token).then(userOrRefusal);
    },
  };
}

function userOrRefusal(verification: Verification): User {
  // The reason is for those who may ask for reviews. A stranger learns nothing but no.
  if (!verification.ok) throw unauthorized();
  return verification.user;
}

/** Undefined: some other scheme, which is no credential here. */
function bearerOf(header: string): string | undefined {
  const match = /^bearer +(.*)$/is.exec(header.trim());
  return match ? (match[1] ?? '').trim() : undefined;
}
