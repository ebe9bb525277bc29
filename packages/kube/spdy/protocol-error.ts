import { KubeError } from '../errors.ts';

export function protocolError(problem: string, cause?: unknown): KubeError {
  return new KubeError('bad-response', `The peer broke the SPDY/3.1 protocol: ${problem}. Connect again.`, { cause });
}
