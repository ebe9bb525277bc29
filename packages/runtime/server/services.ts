/** The RPC services by their wire names. Loaded with the first call, protobuf library included. */
import { dispatch } from '../connect/dispatch.ts';
import type { Service } from '../connect/method.ts';
import { filesystemMethods } from '../filesystem/service.ts';
import { processMethods } from '../process/service.ts';
import type { RuntimeContext } from './context.ts';
import type { RpcCall } from './routes.ts';

export function createServices(context: RuntimeContext): (service: string, method: string) => RpcCall | undefined {
  const services = new Map<string, Service>([
    [
      'process.Process',
      processMethods({
        registry: context.registry,
        spawner: context.spawner,
        state: context.state,
        started: (user) => context.tenantUids.add(user.uid),
      }),
    ],
    ['filesystem.Filesystem', filesystemMethods(context)],
  ]);
  return (service, name) => {
    const method = services.get(service)?.get(name);
    return method === undefined ? undefined : (request, response, base) => dispatch(method, request, response, base);
  };
}
