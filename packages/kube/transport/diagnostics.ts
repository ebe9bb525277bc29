import { channel } from 'node:diagnostics_channel';

/** One HTTP exchange, each attempt of a retried call by itself. A stream is reported when its headers arrive. */
export interface RequestMessage {
  /** In Kubernetes' words (`list`, `patch`, …), or the HTTP method in lower case when the caller named none. */
  readonly verb: string;
  readonly resource: string;
  readonly method: string;
  readonly host: string;
  /** The HTTP status; 0 when there was no answer, and then `error` is the code of the KubeError. */
  readonly status: number;
  readonly error: string | undefined;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  /** 1 for the first try. */
  readonly attempt: number;
}

export interface RetryMessage {
  readonly verb: string;
  readonly resource: string;
  readonly host: string;
  readonly attempt: number;
  readonly waitMs: number;
  /** `429`, `503`, `401`, or the code of the KubeError. */
  readonly reason: string;
}

export interface RateLimitMessage {
  readonly verb: string;
  readonly host: string;
  readonly waitMs: number;
}

export interface WarningMessage {
  readonly resource: string;
  readonly text: string;
}

/** What this package reports by `node:diagnostics_channel`. Publishing costs nothing while nobody listens. */
export const requestChannel = channel('sandbank:kube:request');
export const retryChannel = channel('sandbank:kube:retry');
export const rateLimitChannel = channel('sandbank:kube:rate-limit');
export const warningChannel = channel('sandbank:kube:warning');
