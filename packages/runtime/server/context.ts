/** Everything the routes share, made once at start. */
import type { UserDatabase } from '../auth/users.ts';
import type { WatcherTable } from '../filesystem/watchers.ts';
import type { HelperClient } from '../helper/client.ts';
import type { ProcessRegistry } from '../process/registry.ts';
import type { Spawner } from '../process/spawner.ts';
import type { Baseline } from '../reset/baseline.ts';
import type { Config } from './config.ts';
import type { Log } from './log.ts';
import type { SandboxState } from './state.ts';

export interface RuntimeContext {
  readonly config: Config;
  readonly log: Log;
  readonly state: SandboxState;
  readonly users: UserDatabase;
  readonly registry: ProcessRegistry;
  /** The helper, or undefined where it can't run. Started once, at first need. */
  readonly helper: () => Promise<HelperClient | undefined>;
  readonly spawner: () => Promise<Spawner>;
  /** Polled watchers; made with the first file system call. */
  watchers: WatcherTable | undefined;
  /** Everybody who started a process here; reset must know whether one was root. */
  readonly tenantUids: Set<number>;
  /** The clean state for /reset; undefined where it is not configured, or was lost in a crash. */
  readonly baseline: Baseline | undefined;
  /** `condemned`: a reset was refused, nothing but /health is answered any more. */
  availability: 'open' | 'resetting' | 'condemned';
  /** Ends every connection of the data listeners: a former owner's streams must not see what comes next. */
  readonly dropConnections: () => void;
}
