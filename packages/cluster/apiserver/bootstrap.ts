/** What every cluster has before anybody comes: its namespaces and the classes that the system itself uses. */
import type { Store } from '../store/store.ts';
import { apiServices } from './builtin/api-services.ts';
import { systemPriorityClasses } from './builtin/policy/policy.ts';
import type { Registry } from './registry/registry.ts';
import type { JsonObject } from './schema/structural.ts';
import { create } from './verbs/create.ts';
import type { Engine, WriteCall } from './verbs/engine.ts';
import { objectKey } from './verbs/keys.ts';
import { textOf, timestamp } from './verbs/stored-object.ts';

const NAMESPACES = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

export async function bootstrap(engine: Engine): Promise<void> {
  const objects: JsonObject[] = NAMESPACES.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } }));
  for (const object of objects) await ensure(engine, '', 'v1', 'namespaces', object);
  for (const object of systemPriorityClasses)
    await ensure(engine, 'scheduling.k8s.io', 'v1', 'priorityclasses', structuredClone(object));
  for (const object of apiServices(engine.registry.all(), timestamp(engine.now()))) {
    await ensure(engine, 'apiregistration.k8s.io', 'v1', 'apiservices', object);
  }
}

async function ensure(
  engine: Engine,
  group: string,
  version: string,
  plural: string,
  object: JsonObject,
): Promise<void> {
  const resource = found(engine.registry, group, version, plural);
  const name = textOf(object, 'name');
  if (exists(engine.store, objectKey(resource, undefined, name))) return;
  await create(engine, { resource, namespace: undefined, name }, object, systemCall(engine));
}

function found(registry: Registry, group: string, version: string, plural: string) {
  const resource = registry.find(group, version, plural);
  if (!resource) throw new Error(`${plural} of ${group || 'core'}/${version} are not in the snapshot`);
  return resource;
}

const exists = (store: Store, key: string) => store.get(key) !== undefined;

const systemCall = (engine: Engine): WriteCall => ({
  context: {
    user: { name: 'system:apiserver', groups: ['system:masters'] },
    now: engine.now(),
    dryRun: false,
    warn() {},
  },
  fieldManager: 'kube-apiserver',
  fieldValidation: 'Strict',
  options: {},
});
