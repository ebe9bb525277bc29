import type { CallOptions } from '../client/contract.ts';
import { KubeError } from '../errors.ts';
import type { Transport } from '../transport/contract.ts';
import { discover } from './discover.ts';
import type { Discovered, Resource } from './resource.ts';

/** From the names that people and manifests use to what the server serves. */
export interface RestMapper {
  /** By apiVersion and kind, as an object carries them. */
  byKind(apiVersion: string, kind: string, options?: CallOptions): Promise<Resource>;
  /**
   * By any name that kubectl takes: `pods`, `pod`, `po`, `Pod`, `deployments.apps`, `deployments.v1.apps`.
   * Where several groups serve it, the first in the server's order wins, in its preferred version.
   */
  byName(name: string, options?: CallOptions): Promise<Resource>;
  /** All resources, for instance of a category. */
  all(options?: CallOptions): Promise<readonly Resource[]>;
  /** Forget what was discovered. */
  invalidate(): void;
}

/** Discovers once and remembers; a name that is not found is looked for once more on the server before it is an error. */
export function createMapper(transport: Transport): RestMapper {
  let cached: Discovered | undefined;
  let running: Promise<Discovered> | undefined;

  const fresh = (options?: CallOptions): Promise<Discovered> => {
    running ??= discover(transport, options)
      .then((found) => {
        cached = found;
        return found;
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  };

  const find = async (what: string, match: Match, options?: CallOptions): Promise<Resource> => {
    const known = cached && match(cached.resources);
    if (known) return known;
    const found = await fresh(options);
    return match(found.resources) ?? missing(what, found);
  };

  return {
    byKind: (apiVersion, kind, options) =>
      find(`${kind} in ${apiVersion}`, (all) => kindIn(all, apiVersion, kind), options),
    byName: (name, options) => find(name, (all) => nameIn(all, name), options),
    all: async (options) => (cached ?? (await fresh(options))).resources,
    invalidate: () => {
      cached = undefined;
    },
  };
}

type Match = (resources: readonly Resource[]) => Resource | undefined;

function kindIn(all: readonly Resource[], apiVersion: string, kind: string): Resource | undefined {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  return all.find((one) => one.kind === kind && one.version === version && one.group === group);
}

function nameIn(all: readonly Resource[], text: string): Resource | undefined {
  const [name = '', ...rest] = text.toLowerCase().split('.');
  const suffix = rest.join('.');
  const [version, ...tail] = rest;
  const group = tail.join('.');
  const inGroup = all.filter(
    (one) => suffix === '' || one.group === suffix || (one.version === version && one.group === group),
  );
  // A whole name beats a short one: `po` of some CRD must not shadow another's real name.
  return (
    inGroup.find((one) => one.plural === name || one.singular === name || one.kind.toLowerCase() === name) ??
    inGroup.find((one) => one.shortNames.includes(name))
  );
}

function missing(what: string, { problems }: Discovered): never {
  const note = problems.length === 0 ? '' : ` These groups could not be read: ${problems.join('; ')}.`;
  throw new KubeError(
    'kind-not-found',
    `The API server does not serve ${what}. Apply the CRD that defines it, or check the name.${note}`,
  );
}
