/**
 * The port to whatever runs pods: what the API server needs of a node to answer logs, exec, attach and port-forward. The real
 * node and the simulated ones implement it; everything else about nodes goes through the Kubernetes API.
 */
import type { Duplex, Readable, Writable } from 'node:stream';
import type { JsonObject } from '../../schema/structural.ts';

export interface LogOptions {
  readonly container: string;
  readonly follow: boolean;
  readonly previous: boolean;
  readonly timestamps: boolean;
  readonly tailLines: number | undefined;
  readonly limitBytes: number | undefined;
  /** Lines from this moment on. */
  readonly since: Date | undefined;
  /** Aborted when the reader goes away. */
  readonly signal: AbortSignal;
}

/** The streams of a process in a container; those that were not asked for are undefined. */
export interface Streams {
  readonly stdin: Readable | undefined;
  readonly stdout: Writable | undefined;
  /** Undefined with a terminal: it has one output. */
  readonly stderr: Writable | undefined;
  readonly tty: boolean;
  /** New sizes of the caller's terminal. */
  readonly resize: AsyncIterable<{ readonly width: number; readonly height: number }>;
  readonly signal: AbortSignal;
}

/** How a process ended. A process that could not be started at all is an error that is thrown. */
export interface ExitResult {
  readonly exitCode: number;
}

export interface NodePort {
  logs(pod: JsonObject, options: LogOptions): AsyncIterable<Buffer>;
  exec(pod: JsonObject, container: string, command: readonly string[], streams: Streams): Promise<ExitResult>;
  /** To the container's own process. Ends when the process or the caller does. */
  attach(pod: JsonObject, container: string, streams: Streams): Promise<ExitResult | undefined>;
  /** A connection to a port inside the pod. Rejects when nobody listens there. */
  portForward(pod: JsonObject, port: number, signal: AbortSignal): Promise<Duplex>;
}

/** Which node port serves a node; undefined for nodes that are not ours. */
export type NodePorts = (nodeName: string) => NodePort | undefined;
