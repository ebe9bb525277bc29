import { openMemoryStore } from '../../../store/open.ts';
import { admissionChain } from '../../admission/admission.ts';
import { ApiError, invalid } from '../../http/api-error.ts';
import { Registry } from '../../registry/registry.ts';
import type { Resource } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { create } from '../../verbs/create.ts';
import { remove } from '../../verbs/delete.ts';
import type { Engine, Target, WriteCall } from '../../verbs/engine.ts';
import { patch } from '../../verbs/patch.ts';
import { builtinAdmission } from '../admission/plugins.ts';
import { storeLookup } from '../lookup.ts';
import { builtinResources } from '../resources.ts';
import { serviceAddresses } from '../services/addresses.ts';
import { views } from '../views.ts';
import type { Case } from './case.fixture.ts';

export const NAMESPACE = 'builtin-kinds';

export interface OurServer {
  readonly engine: Engine;
  resource(of: string): Resource;
  run(one: Case): Promise<Outcome>;
}

/** What a server made of a request: the object, or its refusal. */
export type Outcome = { readonly object: JsonObject } | { readonly status: JsonObject };

export async function ourServer(namespace = NAMESPACE): Promise<OurServer> {
  const now = () => new Date();
  const store = await openMemoryStore();
  const lookup = storeLookup(store);
  const registry = new Registry();
  const { random } = Math;
  registry.replace(builtinResources({ addresses: serviceAddresses({ lookup, random, now }) }));
  const admission = admissionChain(builtinAdmission({ lookup, random }));
  const engine: Engine = { store, registry, admission, now, random };
  const resource = (of: string): Resource => {
    const parts = of.split('/');
    const [group, version, plural] = parts.length === 2 ? ['', ...parts] : parts;
    const found = registry.find(group ?? '', version ?? '', plural ?? '');
    if (!found) throw new Error(`no built-in kind ${of}`);
    return found;
  };
  const accounts = resource('v1/serviceaccounts');
  await create(
    engine,
    { resource: accounts, namespace, name: '' },
    { metadata: { name: 'default' } },
    callOf(false, now),
  );
  return { engine, resource, run: (one) => run(engine, resource, one, now) };
}

export function callOf(dryRun: boolean, now: () => Date, subresource?: string): WriteCall {
  return {
    context: { user: { name: 'admin', groups: ['system:masters'] }, now: now(), dryRun, subresource, warn() {} },
    fieldManager: 'test',
    fieldValidation: 'Ignore',
    options: {},
  };
}

async function run(engine: Engine, resource: (of: string) => Resource, one: Case, now: () => Date): Promise<Outcome> {
  const view = views.get(one.of);
  const served = resource(one.of);
  const stored = view
    ? resource([view.storage.group, view.storage.version, view.storage.plural].filter((part) => part !== '').join('/'))
    : served;
  const name = ((one.object['metadata'] as JsonObject)['name'] as string) ?? '';
  const target: Target = {
    resource: stored,
    namespace: stored.namespaced ? NAMESPACE : undefined,
    name,
    subresource: undefined,
  };
  const shown = (object: JsonObject) => ({ object: view ? view.fromStorage(object) : object });
  try {
    const extra = view?.validate?.(one.object) ?? [];
    if (extra.length > 0) throw invalid({ group: '', kind: served.kind }, name, extra);
    const body = view ? view.toStorage(structuredClone(one.object)) : structuredClone(one.object);
    if (!one.patch) return shown(await create(engine, target, body, callOf(true, now)));
    await create(engine, target, body, callOf(false, now));
    try {
      const changed = await patch(engine, { ...target, subresource: one.subresource }, 'merge', one.patch, {
        ...callOf(false, now, one.subresource),
        force: false,
      });
      return shown(changed.object);
    } finally {
      const call = {
        ...callOf(false, now),
        gracePeriodSeconds: 0,
        propagation: 'Background',
        uid: undefined,
        resourceVersion: undefined,
      } as const;
      await remove(engine, target, call);
      await clearFinalizers(engine, target, now);
    }
  } catch (error) {
    if (error instanceof ApiError) return { status: error.toStatus() };
    throw error;
  }
}

async function clearFinalizers(engine: Engine, target: Target, now: () => Date): Promise<void> {
  try {
    await patch(engine, target, 'merge', { metadata: { finalizers: null } }, { ...callOf(false, now), force: false });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
  }
}
