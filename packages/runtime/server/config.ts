/** Settings by flag and by environment; a flag wins. Every mistake is named with what to write instead. */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { LogLevel } from './log.ts';

export type ListenAddress = { readonly host: string; readonly port: number } | { readonly socket: string };

export interface Config {
  readonly listen: readonly ListenAddress[];
  readonly control: ListenAddress | undefined;
  readonly controlToken: string | undefined;
  readonly insecureNoToken: boolean;
  readonly defaultUser: string;
  readonly defaultWorkdir: string | undefined;
  readonly internalEnv: Readonly<Record<string, string>>;
  readonly helper: 'auto' | 'none' | { readonly path: string };
  /** The address on which ports of 127.0.0.1 are made reachable; undefined for none. */
  readonly forwardTo: string | undefined;
  readonly noNewPrivileges: boolean;
  readonly resetRoots: readonly string[];
  readonly resetAllowRoot: boolean;
  readonly logLevel: LogLevel | 'silent';
}

export const defaultPort = 49983;

const options = {
  address: { type: 'string', multiple: true },
  port: { type: 'string' },
  socket: { type: 'string' },
  'control-address': { type: 'string' },
  'control-port': { type: 'string' },
  'control-socket': { type: 'string' },
  'control-token-file': { type: 'string' },
  'insecure-no-token': { type: 'boolean' },
  'default-user': { type: 'string' },
  'default-workdir': { type: 'string' },
  env: { type: 'string', multiple: true },
  helper: { type: 'string' },
  'forward-ports': { type: 'string' },
  'no-new-privileges': { type: 'boolean' },
  'reset-root': { type: 'string', multiple: true },
  'reset-allow-root': { type: 'boolean' },
  'log-level': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean' },
} as const;

export class ConfigError extends Error {
  readonly code = 'bad_config';
}

export type ParsedArguments = { readonly show: 'help' | 'version' } | { readonly config: Config };

export function parseConfig(args: readonly string[], env: Readonly<NodeJS.ProcessEnv>): ParsedArguments {
  let values: ReturnType<typeof parseArgs<{ options: typeof options }>>['values'];
  try {
    ({ values } = parseArgs({ args: [...args], options, strict: true, allowPositionals: false }));
  } catch (cause) {
    throw new ConfigError(`${cause instanceof Error ? cause.message : cause}; see --help`, { cause });
  }
  if (values.help === true) return { show: 'help' };
  if (values.version === true) return { show: 'version' };
  const setting = (name: keyof typeof values & string): string | undefined => {
    const value = values[name] ?? env[`SANDBANK_RUNTIME_${name.toUpperCase().replaceAll('-', '_')}`];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const flag = (name: keyof typeof values & string): boolean =>
    values[name] === true ||
    ['1', 'true', 'yes'].includes(env[`SANDBANK_RUNTIME_${name.toUpperCase().replaceAll('-', '_')}`] ?? '');
  const list = (name: 'address' | 'env' | 'reset-root'): readonly string[] =>
    values[name] ??
    (env[`SANDBANK_RUNTIME_${name.toUpperCase().replaceAll('-', '_')}`] ?? '').split(',').filter(Boolean);

  const port = parsePort('port', setting('port'), defaultPort);
  const podIp = env['POD_IP'];
  const socket = setting('socket');
  const hosts = list('address').length > 0 ? list('address') : podIp !== undefined && podIp !== '' ? [podIp] : [];
  const listen: ListenAddress[] = hosts.map((host) => ({ host, port }));
  if (socket !== undefined) listen.push({ socket });
  if (listen.length === 0) {
    throw new ConfigError(
      'nowhere to listen: give --address ADDRESS, --socket PATH, or set POD_IP. The runtime never picks an address by itself.',
    );
  }
  const control = controlAddress(setting);
  const controlTokenFile = setting('control-token-file');
  const controlToken = controlTokenFile === undefined ? undefined : readToken(controlTokenFile);
  if (control !== undefined && 'host' in control && !isLoopback(control.host) && controlToken === undefined) {
    throw new ConfigError(
      `the control listener on ${control.host} is reachable by others: give --control-token-file, or use --control-socket`,
    );
  }
  return {
    config: {
      listen,
      control,
      controlToken,
      insecureNoToken: flag('insecure-no-token'),
      defaultUser: setting('default-user') ?? 'root',
      defaultWorkdir: setting('default-workdir'),
      internalEnv: { E2B_SANDBOX: 'true', ...e2bNames(env), ...parseEnv(list('env')) },
      helper: helperSetting(setting('helper')),
      forwardTo: forwardAddress(setting('forward-ports'), podIp),
      noNewPrivileges: flag('no-new-privileges'),
      resetRoots: list('reset-root'),
      resetAllowRoot: flag('reset-allow-root'),
      logLevel: logLevel(setting('log-level')),
    },
  };
}

function parsePort(name: string, text: string | undefined, fallback: number): number {
  if (text === undefined) return fallback;
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new ConfigError(`--${name} must be a number from 0 to 65535, not "${text}"`);
  }
  return port;
}

function controlAddress(setting: (name: 'control-address' | 'control-port' | 'control-socket') => string | undefined) {
  const socket = setting('control-socket');
  if (socket !== undefined) return { socket };
  const host = setting('control-address');
  const portText = setting('control-port');
  if (host === undefined && portText === undefined) return undefined;
  if (portText === undefined) throw new ConfigError('--control-address needs --control-port');
  return { host: host ?? '127.0.0.1', port: parsePort('control-port', portText, 0) };
}

function readToken(path: string): string {
  let token: string;
  try {
    token = readFileSync(path, 'utf8').trim();
  } catch (cause) {
    throw new ConfigError(`can't read the control token from ${path}: is the Secret mounted?`, { cause });
  }
  if (token === '') throw new ConfigError(`the control token in ${path} is empty`);
  return token;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.');
}

/** Names that the platform sets on the pod for its sandbox and that commands inside may read. e2b 3.3 */
function e2bNames(env: Readonly<NodeJS.ProcessEnv>): Record<string, string> {
  const names = ['E2B_SANDBOX_ID', 'E2B_TEMPLATE_ID', 'E2B_TEAM_ID', 'E2B_EVENTS_ADDRESS'];
  return Object.fromEntries(names.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}

function parseEnv(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const equals = pair.indexOf('=');
      if (equals < 1) throw new ConfigError(`--env wants NAME=VALUE, not "${pair}"`);
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function helperSetting(text: string | undefined): Config['helper'] {
  if (text === undefined || text === 'auto') return 'auto';
  return text === 'none' ? 'none' : { path: text };
}

function forwardAddress(text: string | undefined, podIp: string | undefined): string | undefined {
  if (text === 'off') return undefined;
  return text ?? (podIp === '' ? undefined : podIp);
}

function logLevel(text: string | undefined): LogLevel | 'silent' {
  const known = ['debug', 'info', 'warn', 'error', 'silent'] as const;
  const found = known.find((level) => level === (text ?? 'info'));
  if (found === undefined) throw new ConfigError(`--log-level must be one of ${known.join(', ')}, not "${text}"`);
  return found;
}
