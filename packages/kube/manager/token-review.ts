import { createHash } from 'node:crypto';
import type { Client } from '../client/contract.ts';
import { type Clock, systemClock } from '../clock.ts';
import { TokenReview } from '../kinds/generated/authentication-v1.ts';
import { SubjectAccessReview } from '../kinds/generated/authorization-v1.ts';
import type { CheckToken } from './metrics-server.ts';

export interface TokenReviewOptions {
  readonly client: Client;
  /** What the token's user must be allowed to `get`. Default `/metrics`. */
  readonly path?: string | undefined;
  readonly audiences?: string[] | undefined;
  readonly clock?: Clock | undefined;
}

/** How long an answer of the API server holds: a scraper asks every few seconds, and a role is taken away rarely. */
const holdsMs = 60_000;
const most = 1_000;

/**
 * Asks the API server who the token belongs to (TokenReview), and whether that one may read the path
 * (SubjectAccessReview): the same RBAC rule, `nonResourceURLs: ["/metrics"]`, as for other operators.
 */
export function tokenReview({
  client,
  path = '/metrics',
  audiences,
  clock = systemClock,
}: TokenReviewOptions): CheckToken {
  const known = new Map<string, { allowed: boolean; until: number }>();
  return async (token) => {
    // Tokens are not kept, only what they hash to.
    const id = createHash('sha256').update(token).digest('base64');
    const now = clock.monotonic();
    const before = known.get(id);
    if (before && before.until > now) return before.allowed;
    const allowed = await review(client, token, path, audiences);
    if (known.size >= most) known.clear();
    known.set(id, { allowed, until: now + holdsMs });
    return allowed;
  };
}

async function review(client: Client, token: string, path: string, audiences: string[] | undefined): Promise<boolean> {
  const asked = { metadata: {}, spec: { token, ...(audiences ? { audiences } : {}) } };
  const { status } = await client.create(TokenReview, asked);
  const user = status?.user;
  if (!status?.authenticated || !user?.username) return false;
  const access = await client.create(SubjectAccessReview, {
    metadata: {},
    spec: {
      user: user.username,
      ...(user.uid ? { uid: user.uid } : {}),
      ...(user.groups ? { groups: user.groups } : {}),
      ...(user.extra ? { extra: user.extra } : {}),
      nonResourceAttributes: { path, verb: 'get' },
    },
  });
  return access.status?.allowed === true && access.status.denied !== true;
}
