/** Every built-in kind as the engine sees it: facts from the snapshot, rules from `kind-rules.ts`. */
import snapshot from '@sandbank/kube/kinds/snapshot' with { type: 'json' };
import { ApiError } from '../http/api-error.ts';
import type { Resource, Strategy, Subresource } from '../registry/resource.ts';
import { validateSchema } from '../schema/validate.ts';
import { plainTable } from './columns.ts';
import { decode } from './decoding/decode.ts';
import { kindRules } from './kind-rules.ts';
import { builtinSchema } from './schemas.ts';
import type { ServiceAddresses } from './services/addresses.ts';
import { serviceStrategy } from './services/strategy.ts';

export interface BuiltinDeps {
  /** Without it services get no cluster address. */
  readonly addresses?: ServiceAddresses | undefined;
  /** Rules that live elsewhere (custom resource definitions), by `group/plural`. They take the place of those here. */
  readonly strategies?: Readonly<Record<string, Strategy>> | undefined;
  /** Kinds that are answered and never stored (reviews), by `group/plural`. */
  readonly virtual?: Readonly<Record<string, NonNullable<Resource['virtual']>>> | undefined;
}

interface Fact {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly subresources?: readonly Subresource[];
  readonly schema: string;
}

/** Kinds that are told, not written. */
const READ_ONLY = new Set(['apiregistration.k8s.io/apiservices']);
const READ_VERBS = ['get', 'list', 'watch'];

export function builtinResources(deps: BuiltinDeps = {}): Resource[] {
  return (snapshot.resources as unknown as readonly Fact[]).map((fact) => resourceOf(fact, deps));
}

function resourceOf(fact: Fact, deps: BuiltinDeps): Resource {
  const key = `${fact.group}/${fact.plural}`;
  const rules = kindRules[key] ?? {};
  const own = key === '/services' ? serviceStrategy(deps.addresses) : rules.strategy;
  const replaced = deps.strategies?.[key];
  const isStored = fact.verbs.includes('list');
  const { group, version, kind, plural, singular, namespaced, schema } = fact;
  return {
    group,
    version,
    kind,
    listKind: `${kind}List`,
    plural,
    singular,
    namespaced,
    shortNames: fact.shortNames ?? [],
    categories: fact.categories ?? [],
    verbs: READ_ONLY.has(key) ? fact.verbs.filter((verb) => READ_VERBS.includes(verb)) : fact.verbs,
    schema: builtinSchema(schema),
    subresources: (fact.subresources ?? []).map((one) => ownKind(one, fact)),
    table: rules.table ?? plainTable,
    strategy: replaced ?? decoding(own ?? bySchema(schema), fact),
    builtin: true,
    hasGeneration: rules.counted === true,
    virtual: isStored ? undefined : (deps.virtual?.[key] ?? unanswered(kind)),
  };
}

/** A subresource with its parent's kind says nothing about it. */
function ownKind({ name, verbs, kind }: Subresource, parent: Fact): Subresource {
  const isParents = kind === undefined || (kind.kind === parent.kind && kind.group === parent.group);
  return isParents ? { name, verbs } : { name, verbs, kind };
}

/** Kinds for which nobody wrote rules are held to their schema at least. */
function bySchema(name: string): Strategy {
  const schema = builtinSchema(name);
  return {
    validateCreate: (object) => validateSchema(object, schema),
    validateUpdate: (object, old) => validateSchema(object, schema, old),
  };
}

/** Rules see decoded objects only: canonical, of the right types, and theirs to change. */
function decoding(strategy: Strategy, { schema, kind, version }: Fact): Strategy {
  return {
    ...strategy,
    applyDefaults(object) {
      const decoded = decode(object, schema, { kind, version });
      for (const field of Object.keys(object)) if (!Object.hasOwn(decoded, field)) delete object[field];
      Object.assign(object, decoded);
      strategy.applyDefaults?.(object);
    },
  };
}

const unanswered = (kind: string): NonNullable<Resource['virtual']> => {
  return () => {
    throw new ApiError(501, 'NotImplemented', `nothing in this server answers ${kind}`);
  };
};
