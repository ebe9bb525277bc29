/** What `/init` binds late to a warm sandbox: its owner's token, environment, default user and folder. e2b 3.5 */
import { AccessToken } from '../auth/token.ts';
import type { User, UserDatabase } from '../auth/users.ts';
import { RuntimeError } from './errors.ts';

export interface SandboxState {
  token: AccessToken | undefined;
  /** Set by the machine, never by an owner: E2B_SANDBOX and friends. */
  readonly internalEnv: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
  defaultUser: string;
  defaultWorkdir: string | undefined;
  lastTimestamp: bigint | undefined;
}

export function createState(internalEnv: Record<string, string>, defaultUser: string): SandboxState {
  return {
    token: undefined,
    internalEnv,
    env: {},
    defaultUser,
    defaultWorkdir: undefined,
    lastTimestamp: undefined,
  };
}

/** Back to what `createState` gave; used by reset. */
export function clearState(state: SandboxState, defaultUser: string): void {
  state.token = undefined;
  state.env = {};
  state.defaultUser = defaultUser;
  state.defaultWorkdir = undefined;
  state.lastTimestamp = undefined;
}

export function sandboxEnv(state: SandboxState): Record<string, string> {
  return { ...state.env, ...state.internalEnv };
}

/** The user of an RPC: the one in the Basic header, else the default one. e2b 3.1 */
export function rpcUser(state: SandboxState, users: UserDatabase, basicUser: string | undefined): User {
  const user = users.find(basicUser ?? state.defaultUser);
  if (user !== undefined) return user;
  throw new RuntimeError(
    'unauthenticated',
    basicUser === undefined ? `invalid default user: '${state.defaultUser}'` : `invalid username: '${basicUser}'`,
  );
}

/** What a runtime that is started again after a crash must know; kept in the launcher's memory, never on disk. */
export function keptState(state: SandboxState): string {
  return JSON.stringify({
    token: state.token?.reveal(),
    env: state.env,
    defaultUser: state.defaultUser,
    defaultWorkdir: state.defaultWorkdir,
    lastTimestamp: state.lastTimestamp?.toString(),
  });
}

export function restoreState(state: SandboxState, kept: string): void {
  const value = JSON.parse(kept) as {
    token?: string;
    env: Record<string, string>;
    defaultUser: string;
    defaultWorkdir?: string;
    lastTimestamp?: string;
  };
  state.token = value.token === undefined ? undefined : new AccessToken(value.token);
  state.env = value.env;
  state.defaultUser = value.defaultUser;
  state.defaultWorkdir = value.defaultWorkdir;
  state.lastTimestamp = value.lastTimestamp === undefined ? undefined : BigInt(value.lastTimestamp);
}
