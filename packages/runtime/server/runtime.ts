/** Puts the parts together and runs them: `startRuntime` gives back the addresses and `close`. */
import { rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UserDatabase } from '../auth/users.ts';
import { HelperHolder } from '../helper/holder.ts';
import type { PortForwarder } from '../ports/forwarder.ts';
import { ProcessRegistry } from '../process/registry.ts';
import type { Baseline } from '../reset/baseline.ts';
import type { Config, ListenAddress } from './config.ts';
import type { RuntimeContext } from './context.ts';
import { createLog, type Log } from './log.ts';
import { type Audience, createRouter } from './router.ts';
import { createRoutes } from './routes.ts';
import { createState, keptState, restoreState } from './state.ts';

/** The original keeps idle connections this long. e2b 3 */
const idleMs = 640_000;

export interface Runtime {
  readonly context: RuntimeContext;
  /** Where it listens, ports resolved. */
  readonly addresses: readonly ListenAddress[];
  readonly control: ListenAddress | undefined;
  close(): Promise<void>;
}

export async function startRuntime(config: Config, log: Log = createLog(config.logLevel)): Promise<Runtime> {
  const state = createState({ ...config.internalEnv }, config.defaultUser);
  state.defaultWorkdir = config.defaultWorkdir;
  process.umask(0o022);
  const registry = new ProcessRegistry();
  const helper = new HelperHolder(config, log, registry, (kept) => restoreState(state, kept));
  const baseline = await clean(config, helper, log);
  const servers: Server[] = [];
  const dataServers: Server[] = [];
  const context: RuntimeContext = {
    config,
    log,
    state,
    users: new UserDatabase(),
    registry,
    helper: () => helper.client(),
    spawner: () => helper.spawner(),
    watchers: undefined,
    tenantUids: new Set(),
    baseline,
    availability: 'open',
    dropConnections: () => {
      for (const server of dataServers) server.closeAllConnections();
    },
  };
  const routes = createRoutes(context);
  const listen = async (address: ListenAddress, audience: Audience): Promise<ListenAddress> => {
    const server = createServer(serverOptions, createRouter(context, routes, audience));
    server.keepAliveTimeout = idleMs;
    server.headersTimeout = 60_000;
    server.requestTimeout = 0;
    server.timeout = 0;
    servers.push(server);
    if (audience === 'data') dataServers.push(server);
    return await listening(server, address);
  };
  const addresses: ListenAddress[] = [];
  for (const address of config.listen) addresses.push(await listen(address, 'data'));
  const control = config.control === undefined ? undefined : await listen(config.control, 'control');
  // After listening, so that nobody waits for it; a launcher gets to know here that the runtime serves.
  const client = await helper.client();
  client?.ready();
  client?.keep(keptState(state));
  const forwarder = await startForwarder(config, addresses, control, log);
  if (config.insecureNoToken) log.warn('answering everybody until a token is set: --insecure-no-token');
  log.info('listening', { addresses, ...(control === undefined ? {} : { control }) });
  return {
    context,
    addresses,
    control,
    close: async () => {
      await Promise.all(servers.map(closeServer));
      registry.clear();
      forwarder?.close();
      await helper.close();
    },
  };
}

/**
 * Before anybody is answered: a runtime that was started again learns its owner, and one that can be reset takes its baseline.
 * After a crash there is no clean state to take.
 */
async function clean(config: Config, helper: HelperHolder, log: Log): Promise<Baseline | undefined> {
  const supervised = process.env['SANDBANK_HELPER_FD'] !== undefined;
  const client = supervised || config.resetRoots.length > 0 ? await helper.client() : undefined;
  if (client === undefined || config.resetRoots.length === 0) return undefined;
  if (helper.startedAgain) {
    log.warn('started again after a crash: this sandbox can not be reset any more');
    return undefined;
  }
  const { takeBaseline } = await import('../reset/baseline.ts');
  const baseline = await takeBaseline(client, config.resetRoots);
  log.info('baseline for reset taken', { roots: baseline.roots.length, folders: baseline.folders.size });
  return baseline;
}

async function startForwarder(
  config: Config,
  addresses: readonly ListenAddress[],
  control: ListenAddress | undefined,
  log: Log,
): Promise<PortForwarder | undefined> {
  if (config.forwardTo === undefined) return undefined;
  const { PortForwarder } = await import('../ports/forwarder.ts');
  const own = [...addresses, ...(control === undefined ? [] : [control])];
  const except = new Set(own.flatMap((address) => ('port' in address ? [address.port] : [])));
  const forwarder = new PortForwarder({ address: config.forwardTo, except, log });
  forwarder.start();
  return forwarder;
}

/** A path of 4,096 bytes may be three times as long in a query. */
const serverOptions = { noDelay: true, keepAlive: true, highWaterMark: 256 * 1024, maxHeaderSize: 64 * 1024 };

async function listening(server: Server, address: ListenAddress): Promise<ListenAddress> {
  if ('socket' in address) rmSync(address.socket, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    if ('socket' in address) server.listen({ path: address.socket, backlog: 1024 }, resolve);
    else server.listen({ host: address.host, port: address.port, backlog: 1024 }, resolve);
  });
  if ('socket' in address) return address;
  return { host: address.host, port: (server.address() as AddressInfo).port };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
