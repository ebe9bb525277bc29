import type { KubeErrorCode, Status } from '../errors.ts';
import { KubeError } from '../errors.ts';
import type { KubeResponse, Transport } from './contract.ts';
import { retryAfterMs } from './retry.ts';

/** What was asked, so that the error can say it. */
export interface Asked {
  /** `patch`, `list`, … */
  readonly verb: string;
  /** `pods`, `pools.sandbox.opensandbox.io`. */
  readonly resource: string;
  /** `default/web-1`; undefined for collections. */
  readonly object?: string | undefined;
  readonly apiVersion?: string | undefined;
  readonly subresource?: string | undefined;
  readonly about?: Transport['about'];
}

const byReason: Readonly<Record<string, KubeErrorCode>> = {
  AlreadyExists: 'already-exists',
  Conflict: 'conflict',
  Gone: 'gone',
  Expired: 'gone',
  Invalid: 'invalid',
  Timeout: 'timeout',
  ServerTimeout: 'unavailable',
};

const byStatus: Readonly<Record<number, KubeErrorCode>> = {
  400: 'bad-request',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'bad-request',
  406: 'bad-request',
  409: 'conflict',
  410: 'gone',
  413: 'too-large',
  415: 'unsupported-media-type',
  422: 'invalid',
  429: 'too-many-requests',
  502: 'unavailable',
  503: 'unavailable',
  504: 'timeout',
};

/** The Status in a body, when there is one. */
export function parseStatus(body: Buffer): Status | undefined {
  if (body[0] !== 0x7b) return undefined;
  try {
    const parsed = JSON.parse(body.toString('utf8')) as Status;
    return parsed.kind === 'Status' ? parsed : undefined;
  } catch {
    // A cut or foreign body: the HTTP status alone then says what happened.
    return undefined;
  }
}

/** An answer of 400 and above as KubeError: the server's own words, the fields it named, and what to do. */
export function errorFromAnswer(answer: KubeResponse, asked: Asked): KubeError {
  const status = parseStatus(answer.body);
  const plain = status ? '' : answer.body.toString('utf8', 0, 300).trim();
  return statusError(answer.status, status, asked, {
    plain,
    retryAfterMs: retryAfterMs(answer.headers['retry-after'], Date.now()),
  });
}

/** The same for a Status that came inside a stream: a watch's ERROR event, the end of an exec. */
export function statusError(
  http: number,
  status: Status | undefined,
  asked: Asked,
  more: { plain?: string; retryAfterMs?: number | undefined } = {},
): KubeError {
  const code = codeOf(http, status, asked);
  const seconds = status?.details?.retryAfterSeconds;
  const said = sentence(status?.message || more.plain || `HTTP ${http}`) + unnamedCauses(status);
  const remedy = remedyOf(code, status, asked);
  return new KubeError(code, `${subject(asked)}: ${said}${remedy === '' ? '' : ` ${remedy}`}`, {
    status: http,
    answer: status,
    retryAfterMs: more.retryAfterMs ?? (seconds === undefined ? undefined : seconds * 1000),
  });
}

function codeOf(http: number, status: Status | undefined, asked: Asked): KubeErrorCode {
  if (http === 404 && isMissingKind(status, asked)) return 'kind-not-found';
  const known = byReason[status?.reason ?? ''] ?? byStatus[http];
  return known ?? (http >= 500 ? 'server-error' : http >= 400 ? 'bad-request' : 'bad-response');
}

/** A missing object is named in the Status; a path that nobody serves is a bare 404, or a Status that names nothing. */
function isMissingKind(status: Status | undefined, asked: Asked): boolean {
  if (asked.apiVersion === undefined) return false;
  return status === undefined || !status.details?.name;
}

function remedyOf(code: KubeErrorCode, status: Status | undefined, asked: Asked): string {
  switch (code) {
    case 'kind-not-found':
      return asked.subresource === undefined
        ? `The API server does not serve ${asked.resource} in ${asked.apiVersion}: apply the CRD of that version, or check the name.`
        : `The API server does not serve ${asked.resource} in ${asked.apiVersion}, or not its subresource ${asked.subresource}: apply the CRD that enables it.`;
    case 'not-found':
      // The server words both alike.
      return asked.subresource === undefined || asked.object === undefined
        ? ''
        : `Either the object does not exist, or its subresource ${asked.subresource} is not enabled.`;
    case 'unauthorized':
      return `The credentials were not accepted: ${asked.about?.identity() ?? 'unknown'}. Log in again or renew them${
        asked.about ? ` in ${asked.about.source}` : ''
      }.`;
    case 'forbidden':
      return /\bcannot \S+ resource\b/.test(status?.message ?? '') ? rbacRemedy(asked) : '';
    case 'gone':
      return 'List again and go on from there.';
    case 'conflict':
      if (asked.verb === 'apply') return 'Leave those fields to their manager, or take them over with force.';
      return status?.reason === 'Conflict' || status === undefined
        ? 'Read the object again and repeat the change on what it is now.'
        : '';
    default:
      return '';
  }
}

function rbacRemedy(asked: Asked): string {
  const resource = asked.subresource === undefined ? asked.resource : `${asked.resource}/${asked.subresource}`;
  return `Bind a Role or ClusterRole that allows ${JSON.stringify(asked.verb)} on ${JSON.stringify(resource)} to that user.`;
}

function subject(asked: Asked): string {
  const subresource = asked.subresource === undefined ? '' : `/${asked.subresource}`;
  return [asked.verb, asked.resource + subresource, asked.object].filter((part) => part).join(' ');
}

/** Causes whose field the server's message does not name already. */
function unnamedCauses(status: Status | undefined): string {
  const message = status?.message ?? '';
  const causes = (status?.details?.causes ?? []).filter((cause) => cause.field && !message.includes(cause.field));
  return causes.length === 0
    ? ''
    : ` (${causes.map((cause) => `${cause.field}: ${cause.message ?? cause.reason}`).join('; ')})`;
}

function sentence(text: string): string {
  const trimmed = text.trim();
  return /[.!?]$/.test(trimmed) ? trimmed : `${trimmed}.`;
}
