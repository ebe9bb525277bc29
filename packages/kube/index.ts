/**
 * Kubernetes for TypeScript. A walk through the house, from the wire up:
 *
 * - `config/` finds the cluster; `transport/` carries bytes to it; `client/` speaks verbs, typed by a `Kind`.
 * - `discovery/` asks what the server serves and maps names to kinds; `stream/` does logs, exec, attach and port-forward
 *   (over `spdy/`). `connect()` is the front door: it finds, checks and opens everything, or says in one sentence why not.
 * - `reflector/` keeps a copy of the objects of one kind true; `cache/` indexes it and lets callers wait on it.
 * - `queue/` hands out keys, one worker per key; `controller/` turns events into keys and keys into reconciles.
 * - `manager/` starts all of it in order, elects a leader, serves health and metrics.
 */

export * from './cache/cache.ts';
export * from './cache/cache-set.ts';
export type * from './cache/event.ts';
export { type IndexFunction, ownerUids } from './cache/index-map.ts';
export { WaitError, type WaitOptions } from './cache/waits.ts';
export type { ClientOptions } from './client/call.ts';
export * from './client/client.ts';
export * from './client/connect.ts';
export * from './client/contract.ts';
export * from './client/subresources.ts';
export * from './clock.ts';
// What reconcilers reach for. Types and keys of the built-in kinds are in `@sandbank/kube/kinds`, webhooks in `@sandbank/kube/webhook`.
export * from './conditions.ts';
export * from './config/cluster-config.ts';
export type { Auth, ClientCertificate, Credentials } from './config/credentials.ts';
export * from './config/load.ts';
export * from './controller/controller.ts';
export * from './controller/logger.ts';
export * from './controller/spec.ts';
export * from './discovery/discover.ts';
export * from './discovery/mapper.ts';
export * from './discovery/resource.ts';
export * from './discovery/version.ts';
export * from './equality.ts';
export * from './errors.ts';
export type { EventInput } from './events/event.ts';
export * from './events/recorder.ts';
export * from './expectations/expectations.ts';
export * from './expectations/observe.ts';
export * from './field-selector.ts';
export * from './finalizers.ts';
export * from './int-or-percent.ts';
export * from './kind.ts';
export * from './label-selector.ts';
export * from './leader/elector.ts';
export type { HealthChecks } from './manager/health.ts';
export type { Listener, ListenOptions } from './manager/listener.ts';
export * from './manager/manager.ts';
export type { CheckToken, MetricsServerOptions } from './manager/metrics-server.ts';
export * from './manager/token-review.ts';
export * from './metrics/descriptions.ts';
export * from './metrics/metrics.ts';
export * from './names.ts';
export * from './object.ts';
export * from './owners.ts';
export * from './quantity.ts';
export * from './queue/work-queue.ts';
export type { BackoffOptions } from './reflector/backoff.ts';
export * from './reflector/reflector.ts';
export type { SourceOptions } from './reflector/source.ts';
export * from './revision.ts';
export * from './stream/exec.ts';
export type { ExitStatus } from './stream/exit-status.ts';
export * from './stream/logs.ts';
export * from './stream/port-forward.ts';
export type { RemoteProcess } from './stream/remote-process.ts';
export * from './time.ts';
export * from './transport/contract.ts';
export * from './transport/diagnostics.ts';
export * from './transport/http.ts';
export type { RateLimit } from './transport/rate-limit.ts';
export type { RetryPolicy } from './transport/retry.ts';
export * from './write/mutate-or-create.ts';
export * from './write/retry-on-conflict.ts';
