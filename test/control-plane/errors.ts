/** Why a control plane could not be built, started or talked to. */
export type ControlPlaneErrorCode =
  | 'BINARY_MISSING'
  | 'BUILD_FAILED'
  | 'DAEMON_EXITED'
  | 'NOT_READY'
  | 'REQUEST_FAILED'
  | 'COMMAND_FAILED'
  | 'NO_REAL_NODE'
  | 'BAD_OPTION';

/** The one error family of this folder. Messages say what happened, why, and what to do. */
export class ControlPlaneError extends Error {
  override readonly name = 'ControlPlaneError';
  readonly code: ControlPlaneErrorCode;

  constructor(code: ControlPlaneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/** Tells Node's errors of the file system and of `spawn` by their code, such as `ENOENT`. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && codes.includes(error.code);
}
