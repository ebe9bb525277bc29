/** Every refusal of the API server is a Status object; these are the ones it makes, in the real server's words. */
import type { FieldError, JsonObject } from '../schema/structural.ts';

export interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly retryAfterSeconds?: number;
  readonly causes?: readonly { readonly reason?: string; readonly message?: string; readonly field?: string }[];
}

export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails | undefined;

  constructor(code: number, reason: string, message: string, details?: StatusDetails, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason ? { reason: this.reason } : {}),
      ...(this.details ? { details: this.details as unknown as JsonObject } : {}),
      code: this.code,
    };
  }
}

/** What errors call a kind: `pods "x" not found`, `widgets.example.com "x" not found`. */
export interface Named {
  readonly group: string;
  readonly plural: string;
}

const qualified = ({ group, plural }: Named) => (group === '' ? plural : `${plural}.${group}`);
const detailsOf = ({ group, plural }: Named, name: string): StatusDetails => ({
  ...(name === '' ? {} : { name }),
  ...(group === '' ? {} : { group }),
  kind: plural,
});

export const notFound = (of: Named, name: string) =>
  new ApiError(404, 'NotFound', `${qualified(of)} "${name}" not found`, detailsOf(of, name));

export const alreadyExists = (of: Named, name: string) =>
  new ApiError(409, 'AlreadyExists', `${qualified(of)} "${name}" already exists`, detailsOf(of, name));

export const conflict = (of: Named, name: string, why: string) =>
  new ApiError(
    409,
    'Conflict',
    `Operation cannot be fulfilled on ${qualified(of)} "${name}": ${why}`,
    detailsOf(of, name),
  );

export const objectModified = (of: Named, name: string) =>
  conflict(of, name, 'the object has been modified; please apply your changes to the latest version and try again');

export function invalid(
  of: { readonly group: string; readonly kind: string },
  name: string,
  errors: readonly FieldError[],
): ApiError {
  const causes = errors.map(({ field, reason, message }) => ({ reason, message, field }));
  const texts = errors.map(({ field, message }) => `${field}: ${message}`);
  const list = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  const what = of.group === '' ? of.kind : `${of.kind}.${of.group}`;
  const details = { name, ...(of.group === '' ? {} : { group: of.group }), kind: of.kind, causes };
  return new ApiError(422, 'Invalid', `${what} "${name}" is invalid: ${list}`, details);
}

export const badRequest = (message: string) => new ApiError(400, 'BadRequest', message);
export const unauthorized = () => new ApiError(401, 'Unauthorized', 'Unauthorized');
export const gone = (message: string) => new ApiError(410, 'Expired', message);
export const methodNotAllowed = (verb: string, of: Named) =>
  new ApiError(
    405,
    'MethodNotAllowed',
    `${verb} is not supported on resources of kind "${qualified(of)}"`,
    detailsOf(of, ''),
  );
export const pathNotFound = () => new ApiError(404, 'NotFound', 'the server could not find the requested resource', {});
export const unsupportedMediaType = (given: string, accepted: readonly string[]) =>
  new ApiError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
    undefined,
    { cause: given },
  );
export const notAcceptable = (accepted: readonly string[]) =>
  new ApiError(406, 'NotAcceptable', `only the following media types are accepted: ${accepted.join(', ')}`);
export const tooLarge = (limit: number) =>
  new ApiError(413, 'RequestEntityTooLarge', `Request entity too large: limit is ${limit}`);
export const tooManyRequests = (message: string, retryAfterSeconds: number) =>
  new ApiError(429, 'TooManyRequests', message, { retryAfterSeconds });

export function forbidden(of: Named, name: string, why: string): ApiError {
  const what = name === '' ? qualified(of) : `${qualified(of)} "${name}"`;
  return new ApiError(403, 'Forbidden', `${what} is forbidden: ${why}`, detailsOf(of, name));
}
