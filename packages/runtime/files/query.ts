/** The query of the file routes: each parameter at most once, checked before anything else. e2b 3.5 */
import type { IncomingMessage } from 'node:http';

export interface FileQuery {
  readonly path: string | undefined;
  readonly username: string | undefined;
  readonly signature: string | undefined;
  readonly expiration: number | undefined;
}

/** A text instead of the query is the plain 400 answer. */
export function parseFileQuery(request: IncomingMessage): FileQuery | string {
  const url = request.url ?? '';
  const question = url.indexOf('?');
  const values = new Map<string, string>();
  for (const pair of question === -1 ? [] : url.slice(question + 1).split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decode(equals === -1 ? pair : pair.slice(0, equals));
    const value = decode(equals === -1 ? '' : pair.slice(equals + 1));
    if (name === undefined || value === undefined) return 'Invalid query: not UTF-8 in percent encoding';
    if (!known.has(name)) continue;
    if (values.has(name)) {
      return `Invalid format for parameter ${name}: multiple values for single value parameter '${name}'`;
    }
    values.set(name, value);
  }
  const expiration = values.get('signature_expiration');
  if (expiration !== undefined && !/^[+-]?\d{1,18}$/.test(expiration)) {
    return `Invalid format for parameter signature_expiration: "${expiration}" is not a number of seconds`;
  }
  return {
    path: values.get('path'),
    username: values.get('username'),
    signature: values.get('signature'),
    expiration: expiration === undefined ? undefined : Number(expiration),
  };
}

const known = new Set(['path', 'username', 'signature', 'signature_expiration']);

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
