/** The API server, put together: one handler over one store, for sockets and for callers in this process. */
import type { Transport } from '@sandbank/kube';
import type { Store } from '../store/store.ts';
import { admissionChain } from './admission/admission.ts';
import { namespaceLifecycle } from './admission/namespace-lifecycle.ts';
import { type ResolveService, webhookAdmission } from './admission/webhooks.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import type { Pki } from './auth/pki/pki.ts';
import { followAggregation } from './auth/rbac/aggregation.ts';
import { reconcileBootstrap } from './auth/rbac/bootstrap.ts';
import { rbacEscalation } from './auth/rbac/escalation.ts';
import { Rbac } from './auth/rbac/rbac.ts';
import { reviewVirtuals } from './auth/reviews/reviews.ts';
import { ServiceAccountTokens } from './auth/tokens/service-account-tokens.ts';
import { issueToken } from './auth/tokens/token-request.ts';
import { bootstrap } from './bootstrap.ts';
import { builtinAdmission } from './builtin/admission/plugins.ts';
import { storeLookup } from './builtin/lookup.ts';
import { builtinResources } from './builtin/resources.ts';
import { serviceAddresses } from './builtin/services/addresses.ts';
import { subresourceHandlers } from './builtin/subresources/handlers.ts';
import { CrdFollower } from './crd/follower.ts';
import { crdStrategy } from './crd/strategy.ts';
import { createHandler, type Handle, type PathHandler } from './http/handler.ts';
import { type Listener, listen } from './http/listener.ts';
import { resourceHandler } from './http/resource-handler.ts';
import { type InProcessUser, inProcessTransport } from './in-process.ts';
import { documentPaths } from './openapi/paths.ts';
import { decodeProtobuf } from './openapi/protobuf/decode.ts';
import { Registry } from './registry/registry.ts';
import type { Engine } from './verbs/engine.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly pki: Pki;
  readonly now?: () => Date;
  readonly random?: () => number;
  /** Where webhooks behind Services are reached. */
  readonly resolveService?: ResolveService;
  /** Paths beside objects. */
  readonly paths?: readonly PathHandler[];
  /** What went wrong inside. Never sent to callers. */
  readonly onError?: (error: unknown) => void;
}

export interface ApiServer extends AsyncDisposable {
  readonly registry: Registry;
  readonly handle: Handle;
  transport(user?: InProcessUser): Transport;
  listen(where: { readonly host: string; readonly port: number }): Promise<Listener>;
}

const SYSTEM: InProcessUser = { name: 'system:apiserver', groups: ['system:masters'] };

export async function startApiServer(options: ApiServerOptions): Promise<ApiServer> {
  const { store, pki, now = () => new Date(), random = Math.random, onError = () => {} } = options;
  const stopping = new AbortController();
  const tokens = new ServiceAccountTokens({ store, key: pki.serviceAccountKey, now: () => now().getTime() });
  const authenticator = createAuthenticator({ serviceAccounts: tokens });
  const rbac = new Rbac(store);
  const lookup = storeLookup(store);
  const registry = new Registry();
  registry.replace(
    builtinResources({
      addresses: serviceAddresses({ lookup, random, now }),
      strategies: { 'apiextensions.k8s.io/customresourcedefinitions': crdStrategy },
      virtual: byPlural(reviewVirtuals({ rbac, authenticator })),
    }),
  );
  const admission = admissionChain([
    namespaceLifecycle(store),
    ...builtinAdmission({ lookup, random, taintNewNodes: false }),
    rbacEscalation(rbac),
    webhookAdmission(store, options.resolveService ?? (() => undefined)),
  ]);
  const engine: Engine = { store, registry, admission, now, random };

  await bootstrap(engine);
  await reconcileBootstrap(store, now());
  rbac.start(onError);
  const aggregation = followAggregation(store, { signal: stopping.signal, onError });
  const crds = new CrdFollower(store, registry, now);
  await crds.start(onError);

  const subresources = subresourceHandlers({
    decodeProtobuf,
    issueToken: (request) => issueToken({ store, tokens, now }, request),
  });
  const handle = createHandler({
    authenticate: authenticator.authenticate,
    authorize: rbac.authorize,
    resources: resourceHandler({ engine, subresources, decodeProtobuf }),
    paths: [...documentPaths(registry, now), ...(options.paths ?? [])],
    healthy: () => !stopping.signal.aborted,
    onError,
  });
  const listeners: Listener[] = [];
  return {
    registry,
    handle,
    transport: (user = SYSTEM) => inProcessTransport(handle, user),
    async listen(where) {
      const tls = { key: pki.serving.key, cert: pki.serving.certificate, clientCa: pki.ca };
      const listener = await listen({ handle, tls, ...where });
      listeners.push(listener);
      return listener;
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await Promise.all(listeners.map((listener) => listener.close()));
      await crds.close();
      await rbac.close();
      await aggregation;
    },
  };
}

/** Reviews are named by kind; kinds are served by plural. */
function byPlural<T>(byKind: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(
    Object.entries(byKind).map(([name, value]) => {
      const [group = '', kind = ''] = name.split('/');
      return [`${group}/${kind.toLowerCase()}s`, value];
    }),
  );
}
