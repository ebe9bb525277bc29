/**
 * One error family. `code` is what programs branch on, `message` says what happened, why, and what to do;
 * the cause is kept for the log.
 */
export const errorCodes = {
  'bad-request': 'The server could not understand the request.',
  unauthorized: 'The credentials are missing, wrong or expired.',
  forbidden: 'The credentials are known, but RBAC does not allow this.',
  'not-found': 'The object does not exist.',
  'kind-not-found': 'The API server does not serve this kind: its CRD is missing or of another version.',
  'already-exists': 'An object of that name exists.',
  conflict: 'The object changed since it was read, or a precondition failed.',
  gone: 'The resource version is too old to continue from; list again.',
  invalid: 'The object failed validation.',
  'too-large': 'The request body is larger than the server takes.',
  'unsupported-media-type': 'The server does not take this content type.',
  'too-many-requests': 'The server asks to slow down.',
  unavailable: 'The server is there but cannot serve now.',
  'server-error': 'The server failed.',
  unreachable: 'No connection to the server could be made.',
  'tls-failed': 'The TLS handshake failed: the certificate or its authority does not fit.',
  'connection-lost': 'The connection broke before the answer was complete.',
  timeout: 'The deadline passed.',
  aborted: 'The caller aborted.',
  'bad-config': 'The kubeconfig or in-cluster configuration is broken.',
  'credentials-failed': 'The credential plugin or token file could not give credentials.',
  'bad-response': 'The server answered with something that is not Kubernetes.',
} as const;

export type KubeErrorCode = keyof typeof errorCodes;

/** The Status object of Kubernetes, as far as it is read. */
export interface Status {
  kind?: string;
  code?: number;
  reason?: string;
  message?: string;
  details?: {
    name?: string;
    kind?: string;
    group?: string;
    retryAfterSeconds?: number;
    causes?: { reason?: string; message?: string; field?: string }[];
  };
}

export interface KubeErrorInit {
  readonly cause?: unknown;
  readonly status?: number | undefined;
  /** The API server's own answer. */
  readonly answer?: Status | undefined;
  readonly retryAfterMs?: number | undefined;
}

export class KubeError extends Error {
  override readonly name = 'KubeError';
  readonly code: KubeErrorCode;
  readonly status: number | undefined;
  readonly answer: Status | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(code: KubeErrorCode, message: string, init: KubeErrorInit = {}) {
    super(message, init.cause === undefined ? undefined : { cause: init.cause });
    this.code = code;
    this.status = init.status;
    this.answer = init.answer;
    this.retryAfterMs = init.retryAfterMs;
  }
}

const is =
  (code: KubeErrorCode) =>
  (error: unknown): error is KubeError =>
    error instanceof KubeError && error.code === code;

export const isNotFound = (error: unknown): error is KubeError =>
  error instanceof KubeError && (error.code === 'not-found' || error.code === 'kind-not-found');
export const isConflict = is('conflict');
export const isAlreadyExists = is('already-exists');
export const isGone = is('gone');
export const isInvalid = is('invalid');
export const isForbidden = is('forbidden');
export const isUnauthorized = is('unauthorized');
export const isTooManyRequests = is('too-many-requests');
export const isTimeout = is('timeout');
export const isAborted = is('aborted');
