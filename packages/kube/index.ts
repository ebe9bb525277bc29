/**
 * Kubernetes for TypeScript. A walk through the house, from the wire up:
 *
 * - `config/` finds the cluster; `transport/` carries bytes to it; `client/` speaks verbs, typed by a `Kind`.
 * - `reflector/` keeps a copy of the objects of one kind true; `cache/` indexes it and lets callers wait on it.
 * - `queue/` hands out keys, one worker per key; `controller/` turns events into keys and keys into reconciles.
 * - `manager/` starts all of it in order, elects a leader, serves health and metrics.
 */
export * from './clock.ts';
export * from './errors.ts';
export * from './kind.ts';
export * from './object.ts';
