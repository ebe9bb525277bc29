/**
 * The one error family of the runtime. `code` is a Connect code: RPCs answer with it directly, plain HTTP routes map it to a
 * status. The message is meant for the caller; the cause stays in the log.
 */
export type RuntimeErrorCode =
  | 'canceled'
  | 'unknown'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'aborted'
  | 'out_of_range'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'data_loss'
  | 'unauthenticated';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RuntimeError';
    this.code = code;
  }

  /** Anything thrown, as one of ours. What we did not expect becomes `internal` with its own text. */
  static from(thrown: unknown): RuntimeError {
    if (thrown instanceof RuntimeError) return thrown;
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return new RuntimeError('internal', message, { cause: thrown });
  }
}

/** HTTP status of a unary Connect error. e2b 3.2 */
export const connectStatus: Readonly<Record<RuntimeErrorCode, number>> = {
  canceled: 499,
  unknown: 500,
  invalid_argument: 400,
  deadline_exceeded: 504,
  not_found: 404,
  already_exists: 409,
  permission_denied: 403,
  resource_exhausted: 429,
  failed_precondition: 400,
  aborted: 409,
  out_of_range: 400,
  unimplemented: 501,
  internal: 500,
  unavailable: 503,
  data_loss: 500,
  unauthenticated: 401,
};

/** An answer of the plain HTTP routes that is not a success: `{code, message}` as JSON. */
export class HttpError extends Error {
  readonly status: number;

  constructor(status: number, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'HttpError';
    this.status = status;
  }
}

export function errno(thrown: unknown): string | undefined {
  return thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
}

const errnoTexts: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ENOTDIR: 'not a directory',
  EISDIR: 'is a directory',
  EACCES: 'permission denied',
  EPERM: 'operation not permitted',
  EEXIST: 'file exists',
  EINVAL: 'invalid argument',
  ELOOP: 'too many levels of symbolic links',
  ENOSPC: 'no space left on device',
  EDQUOT: 'disk quota exceeded',
  ENAMETOOLONG: 'file name too long',
  EROFS: 'read-only file system',
  ENOTEMPTY: 'directory not empty',
  EBUSY: 'device or resource busy',
  EXDEV: 'invalid cross-device link',
  ENXIO: 'no such device or address',
  EMFILE: 'too many open files',
  ENFILE: 'too many open files in system',
};

/** `lstat /a/b: no such file or directory`: the way the original words errors of the file system. */
export function describeErrno(operation: string, thrown: unknown): string {
  const code = errno(thrown);
  const text = code === undefined ? undefined : errnoTexts[code];
  return `${operation}: ${text ?? (thrown instanceof Error ? thrown.message : String(thrown))}`;
}
