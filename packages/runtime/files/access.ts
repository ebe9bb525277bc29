/** Who may read or write a file by HTTP: the token, or a signature over the query. e2b 2.6 */
import type { IncomingMessage } from 'node:http';
import { equalSecrets } from '../auth/token.ts';
import type { User } from '../auth/users.ts';
import type { RuntimeContext } from '../server/context.ts';
import { HttpError } from '../server/errors.ts';
import type { FileQuery } from './query.ts';

export function checkFileAccess(
  context: RuntimeContext,
  request: IncomingMessage,
  query: FileQuery,
  operation: 'read' | 'write',
): void {
  const { token } = context.state;
  if (token === undefined) {
    // Before /init: the router has let loopback and --insecure-no-token pass, nobody else.
    return;
  }
  const header = request.headers['x-access-token'];
  if (typeof header === 'string') {
    if (token.matches(header)) return;
    throw new HttpError(401, 'access token present in header but does not match');
  }
  if (query.signature === undefined) throw new HttpError(401, 'missing signature query parameter');
  const expected = token.signature(query.path ?? '', operation, query.username ?? '', query.expiration);
  if (!equalSecrets(expected, query.signature)) throw new HttpError(401, 'invalid signature');
  if (query.expiration !== undefined && query.expiration < Math.floor(Date.now() / 1000)) {
    throw new HttpError(401, 'signature is already expired');
  }
}

/** The query names the user; the Basic header never does. An empty name is an unknown user, not the default one. */
export function fileUser(context: RuntimeContext, username: string | undefined): User {
  const name = username ?? context.state.defaultUser;
  const user = context.users.find(name);
  if (user === undefined) throw new HttpError(401, `error looking up user '${name}': user: unknown user ${name}`);
  return user;
}
