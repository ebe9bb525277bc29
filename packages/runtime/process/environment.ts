/** The environment of a started process: system, then sandbox, then request; later wins. e2b 3.3 */
import type { User } from '../auth/users.ts';

const fallbackPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

export function processEnv(
  user: User,
  sandbox: Readonly<Record<string, string>>,
  request: Readonly<Record<string, string>>,
  path: string | undefined = process.env['PATH'],
): Record<string, string> {
  return {
    PATH: path === undefined || path === '' ? fallbackPath : path,
    HOME: user.home,
    USER: user.name,
    LOGNAME: user.name,
    ...sandbox,
    ...request,
  };
}
