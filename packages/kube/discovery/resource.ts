import type { Kind } from '../kind.ts';
import type { KubeObject } from '../object.ts';

/** An object of which nothing is known but that it is one. */
export type GenericObject = KubeObject & Record<string, unknown>;

/** One resource that the server serves: a Kind with everything else that discovery tells. */
export interface Resource extends Kind<GenericObject> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  /** `status`, `scale`, … */
  readonly subresources: readonly string[];
}

/** Everything that was discovered. Versions of a group stand in the server's order of preference. */
export interface Discovered {
  readonly resources: readonly Resource[];
  /** Groups that could not be read (an extension API server that is down): what is missing may be there. */
  readonly problems: readonly string[];
}
