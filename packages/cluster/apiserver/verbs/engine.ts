import type { Store } from '../../store/store.ts';
import type { Admission } from '../admission/admission.ts';
import type { Registry } from '../registry/registry.ts';
import type { RequestContext, Resource } from '../registry/resource.ts';

/** What every verb works with. The verbs are functions over it; the store is touched nowhere else. */
export interface Engine {
  readonly store: Store;
  readonly registry: Registry;
  readonly admission: Admission;
  readonly now: () => Date;
  readonly random: () => number;
}

/** What a request addresses. */
export interface Target {
  readonly resource: Resource;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly subresource?: string | undefined;
}

/** The options of a write, from its query or its DeleteOptions. */
export interface WriteCall {
  readonly context: RequestContext;
  readonly fieldManager: string;
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore';
  /** Everything else of the options object, as webhooks get to see it. */
  readonly options: Readonly<Record<string, string>>;
}

export const apiVersionOf = (resource: Pick<Resource, 'group' | 'version'>) =>
  resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
