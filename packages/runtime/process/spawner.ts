/**
 * The port between the process service and whatever really starts processes: the helper (all features) or Node alone. A
 * spawner owns the pipes; the service above knows only bytes, pauses and the exit.
 */
import type { User } from '../auth/users.ts';
import type { OutputKind } from './output.ts';

export interface SpawnRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user: User;
  readonly stdin: boolean;
  readonly pty: { readonly cols: number; readonly rows: number } | undefined;
  /** What a later runtime must know of the process if this one crashes. */
  readonly label: string;
}

/** How a process ended: an exit code or the number of the signal that killed it. */
export type Exit = { readonly code: number } | { readonly signal: number } | { readonly lost: string };

export interface ChildEvents {
  /** The buffer is only valid during the call. */
  output(kind: OutputKind, bytes: Buffer): void;
  exit(exit: Exit): void;
  /** All output pipes have been read to their end. */
  outputEnd(): void;
}

export interface Child {
  readonly pid: number;
  /** Output begins to flow with the first resume. */
  resume(): void;
  pause(): void;
  /** Reads what the pipes hold now, then closes them, whoever else still has them open. */
  drainAndClose(): void;
  write(bytes: Buffer): Promise<void>;
  closeStdin(): void;
  resize(cols: number, rows: number): void;
  /** Signals this one process. False if it has ended. */
  signal(signal: number): boolean;
  /** Kills the process and everything that descends from it; resolves with the number of processes that are left. */
  killTree(): Promise<number>;
}

export interface Spawner {
  /** Rejects with `invalid_argument` when the working directory can't be entered. */
  spawn(request: SpawnRequest, events: ChildEvents): Promise<Child>;
}
