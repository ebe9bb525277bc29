import type { ObjectKey } from '../object.ts';
import type { Transport } from '../transport/contract.ts';
import { askedOfPod, podPath } from './pod-path.ts';
import type { RemoteProcess } from './remote-process.ts';
import { channelProtocols, remoteProcess } from './remote-process.ts';

export interface AttachOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  readonly stdin?: boolean | undefined;
  /** Default true. */
  readonly stdout?: boolean | undefined;
  /** Default true, and false with a terminal, which has but one output. */
  readonly stderr?: boolean | undefined;
  readonly tty?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** For opening the connection; the process may run for as long as it likes. */
  readonly timeoutMs?: number | undefined;
}

export interface ExecOptions extends AttachOptions {
  /** Program and arguments; no shell is involved. */
  readonly command: readonly string[];
}

/** Starts a process in a running container. */
export function exec(transport: Transport, pod: ObjectKey, options: ExecOptions): Promise<RemoteProcess> {
  return open(transport, pod, 'exec', options, options.command);
}

/** Joins the process that the container was started with. */
export function attach(transport: Transport, pod: ObjectKey, options: AttachOptions = {}): Promise<RemoteProcess> {
  return open(transport, pod, 'attach', options);
}

export interface Captured {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end and gives all that it wrote. */
export async function execCapture(
  transport: Transport,
  pod: ObjectKey,
  command: readonly string[],
  options: Omit<ExecOptions, 'command' | 'stdin'> & { readonly input?: string | Uint8Array | undefined } = {},
): Promise<Captured> {
  const { input, ...rest } = options;
  const process = await exec(transport, pod, { ...rest, command, stdin: input !== undefined });
  if (input !== undefined) process.stdin.end(input);
  const [stdout, stderr, { code }] = await Promise.all([text(process.stdout), text(process.stderr), process.exit]);
  return { code, stdout, stderr };
}

async function text(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}

async function open(
  transport: Transport,
  pod: ObjectKey,
  subresource: 'exec' | 'attach',
  options: AttachOptions,
  command?: readonly string[],
): Promise<RemoteProcess> {
  const { container, tty = false, stdin = false, stdout = true, stderr = !tty, signal, timeoutMs } = options;
  const socket = await transport.connect(
    {
      method: 'GET',
      path: podPath(pod, subresource),
      query: { command, container, stdin, stdout, stderr, tty },
      signal,
      timeoutMs,
      operation: { verb: subresource, resource: `pods ${pod.namespace}/${pod.name}` },
    },
    channelProtocols,
  );
  return remoteProcess(socket, { stdin, stdout, stderr }, askedOfPod(transport, subresource, pod, subresource));
}
