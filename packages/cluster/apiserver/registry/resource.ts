import type { FieldError, Json, JsonObject, Structural } from '../schema/structural.ts';

/** Who asks: what authentication found out. */
export interface User {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** What rules may know about the request that they judge. Time and randomness come in from outside. */
export interface RequestContext {
  readonly user: User;
  readonly now: Date;
  readonly dryRun: boolean;
  readonly subresource?: string | undefined;
  /** Sent back to the caller as a Warning header. */
  warn(text: string): void;
}

export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description: string;
  readonly priority: number;
}

export interface TableSpec {
  readonly columns: readonly Column[];
  /** One cell per column. */
  row(object: JsonObject, now: Date): Json[];
}

/**
 * What one kind does differently. Everything is optional and pure: the generic verbs do the rest. An object that comes in
 * may be changed by `prepare…`: it is the request's own copy. What is stored already is never changed.
 */
export interface Strategy {
  /** After decoding, before admission: server-set fields, status dropped on create, spec kept on a status update. */
  prepareCreate?(object: JsonObject, context: RequestContext): void;
  prepareUpdate?(object: JsonObject, old: JsonObject, context: RequestContext): void;
  /** Defaults beyond those in the schema. Runs on everything that comes in, patches included. */
  applyDefaults?(object: JsonObject): void;
  validateCreate?(object: JsonObject): FieldError[];
  validateUpdate?(object: JsonObject, old: JsonObject): FieldError[];
  /** Paths that field selectors may name, besides metadata.name and metadata.namespace. */
  readonly selectableFields?: readonly string[];
  /** Seconds of grace when the caller names none. Pods have 30; most kinds are gone at once. */
  defaultGracePeriodSeconds?(object: JsonObject): number;
  /** Stays when its last finalizer is gone, until its own bookkeeping is done: a namespace with content. */
  isHeld?(object: JsonObject): boolean;
  /** What else a delete writes into an object that stays for now. */
  markDeleted?(object: JsonObject): JsonObject;
  /** A warning for what is stored but not run here, or deprecated. */
  warnings?(object: JsonObject): string[];
}

export interface Subresource {
  /** `status`, `scale`, `binding`, … */
  readonly name: string;
  /** Kind of its bodies when it is not the parent's: `Scale`, `Eviction`, `TokenRequest`. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** One served kind at one version: built in, or made from a CRD. The registry holds them; verbs are generic over them. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly schema: Structural;
  readonly subresources: readonly Subresource[];
  readonly table: TableSpec;
  readonly strategy: Strategy;
  /** Built-in kinds take strategic merge patches and protobuf; custom ones do not. */
  readonly builtin: boolean;
  /** Generation grows with every change outside metadata and status. */
  readonly hasGeneration: boolean;
  /** Never stored (reviews, evictions): created, answered, forgotten. */
  readonly virtual?: ((object: JsonObject, context: RequestContext) => Promise<JsonObject>) | undefined;
}
