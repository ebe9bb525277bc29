import type { Status } from '../errors.ts';
import { KubeError } from '../errors.ts';
import type { Asked } from '../transport/answer.ts';
import { statusError } from '../transport/answer.ts';

/** How a process in a container ended. */
export interface ExitStatus {
  readonly code: number;
  /** The runtime's words, when the code is not 0. */
  readonly message?: string | undefined;
}

/** Reads the Status that the server sends last, on channel 3. What is no exit of the process is thrown. */
export function exitStatusOf(body: Buffer, asked: Asked): ExitStatus {
  let status: Status & { status?: string };
  try {
    status = JSON.parse(body.toString('utf8')) as Status & { status?: string };
  } catch {
    // Servers before v4 wrote plain text here, and a runtime that fails early still does.
    throw new KubeError(
      'server-error',
      `${asked.verb} ${asked.resource} ${asked.object}: ${body.toString('utf8').trim()}.`,
    );
  }
  if (status.status === 'Success') return { code: 0 };
  const cause = status.details?.causes?.find((one) => one.reason === 'ExitCode');
  const code = Number(cause?.message);
  if (status.reason === 'NonZeroExitCode' && Number.isInteger(code)) return { code, message: status.message };
  throw statusError(status.code ?? 500, status, asked);
}
