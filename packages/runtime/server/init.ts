/** `POST /init`: binds a warm sandbox to its owner, late and without an API write. e2b 3.5 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AccessToken } from '../auth/token.ts';
import type { RuntimeContext } from './context.ts';
import { replyEmpty } from './reply.ts';
import { keptState } from './state.ts';
import { envdVersion } from './version.ts';

const maxInitBytes = 8 * 1024 * 1024;

interface InitBody {
  readonly envVars?: Record<string, string>;
  readonly accessToken?: string;
  readonly timestamp?: bigint;
  readonly defaultUser?: string;
  readonly defaultWorkdir?: string;
}

export async function handleInit(
  context: RuntimeContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { state } = context;
  const text = await readText(request);
  const helper = await context.helper();
  response.setHeader('x-envd-version', envdVersion(helper !== undefined));
  const body = text === undefined ? undefined : parseInit(text);
  if (body === undefined) {
    replyEmpty(response, 400);
    return;
  }
  const refusal = refuse(state.token, body.accessToken);
  if (refusal !== undefined) {
    context.log.warn('init refused', { reason: refusal });
    response.writeHead(401, { 'content-type': 'text/plain; charset=utf-8', 'content-length': refusal.length });
    response.end(refusal);
    return;
  }
  const { timestamp } = body;
  const stale = timestamp !== undefined && state.lastTimestamp !== undefined && timestamp < state.lastTimestamp;
  if (!stale) {
    if (timestamp !== undefined) state.lastTimestamp = timestamp;
    if (body.accessToken !== undefined && state.token === undefined) state.token = new AccessToken(body.accessToken);
    if (body.envVars !== undefined) state.env = body.envVars;
    if (body.defaultUser !== undefined && body.defaultUser !== '') state.defaultUser = body.defaultUser;
    if (body.defaultWorkdir !== undefined && body.defaultWorkdir !== '') state.defaultWorkdir = body.defaultWorkdir;
    helper?.keep(keptState(state));
    context.log.info('initialised', { env: Object.keys(body.envVars ?? {}).length, token: state.token !== undefined });
  }
  response.writeHead(204, { 'cache-control': 'no-store' }).end();
}

/** Once a token is set, only calls that carry it in the body may change anything: one owner per sandbox. */
function refuse(current: AccessToken | undefined, given: string | undefined): string | undefined {
  if (current === undefined) return undefined;
  if (given === undefined) return 'access token reset not authorized';
  return current.matches(given) ? undefined : 'access token validation failed';
}

async function readText(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > maxInitBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Undefined for what is not acceptable: bad JSON, wrong types, an empty token. Unknown fields are fine. */
export function parseInit(text: string): InitBody | undefined {
  if (text === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const field = (name: string): unknown => (value as Record<string, unknown>)[name] ?? undefined;
  const envVars = field('envVars');
  const accessToken = field('accessToken');
  const timestampText = field('timestamp');
  const defaultUser = field('defaultUser');
  const defaultWorkdir = field('defaultWorkdir');
  if (envVars !== undefined && !isStringMap(envVars)) return undefined;
  if (!isOptionalString(accessToken) || accessToken === '') return undefined;
  if (!isOptionalString(defaultUser) || !isOptionalString(defaultWorkdir) || !isOptionalString(timestampText)) {
    return undefined;
  }
  const timestamp = timestampText === undefined ? undefined : parseTimestamp(timestampText);
  if (timestampText !== undefined && timestamp === undefined) return undefined;
  return {
    ...(envVars === undefined ? {} : { envVars }),
    ...(accessToken === undefined ? {} : { accessToken }),
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(defaultUser === undefined ? {} : { defaultUser }),
    ...(defaultWorkdir === undefined ? {} : { defaultWorkdir }),
  };
}

function isOptionalString(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string';
}

function isStringMap(value: unknown): value is Record<string, string> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((each) => typeof each === 'string')
  );
}

/** RFC 3339 to nanoseconds: two calls of one millisecond must keep their order. */
function parseTimestamp(text: string): bigint | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9})\d*)?(Z|[+-]\d\d:\d\d)$/i.exec(text);
  if (match === null) return undefined;
  const millis = Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(millis)) return undefined;
  return BigInt(millis) * 1_000_000n + BigInt((match[2] ?? '').padEnd(9, '0'));
}
