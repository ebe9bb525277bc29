import { type Kind, type KubeObject, defineKind as kubeKind, type ObjectMeta } from '@sandbank/kube';
import type { Defaulted, Static, TObject, TOptional, TSchema } from './fields.ts';

export interface Column {
  readonly name: string;
  readonly jsonPath: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly priority: number;
}

/** A column of `kubectl get`; with priority 1 only of `kubectl get -o wide`. */
export function column(name: string, jsonPath: string, type: Column['type'], priority = 0): Column {
  return { name, jsonPath, type, priority };
}

export const ageColumn = (name: 'Age' | 'AGE' = 'Age') => column(name, '.metadata.creationTimestamp', 'date');

export interface Scale {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

declare const inputType: unique symbol;

/**
 * A kind that was declared by a schema: the key for client and cache, and the source of its CRD and its docs table.
 * `T` is an object as the API server hands it out, `Input` one as users write it.
 */
export interface ApiKind<T extends KubeObject = KubeObject, Input = unknown> extends Kind<T> {
  readonly description: string;
  readonly singular: string;
  readonly listKind: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly columns: readonly Column[];
  readonly statusSubresource: boolean;
  readonly scale?: Scale;
  readonly spec: TObject;
  readonly status?: TObject;
  readonly statusDefault?: object;
  readonly [inputType]?: Input;
}

interface Declaration<Spec extends TObject, Status extends TObject> {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly description: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly scope?: 'Namespaced' | 'Cluster';
  readonly columns?: readonly Column[];
  readonly scale?: Scale;
  readonly spec: Spec;
  /** Present: the kind has a status, and the status subresource with it. */
  readonly status?: Status;
  /** What an object without any status reads as. */
  readonly statusDefault?: Static<Status>;
}

// Literals, not an interface that both extend: a declaration file could not name it.
type Stored<Spec extends TObject, Status extends TObject> = {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: Static<Spec>;
  status?: Static<Status>;
};

type Written<Spec extends TObject, Status extends TObject> = {
  apiVersion?: string;
  kind?: string;
  metadata: ObjectMeta;
  spec: InputOfSchema<Spec>;
  status?: InputOfSchema<Status>;
};

type LeftOut<P> = {
  [K in keyof P]: P[K] extends TOptional<TSchema> ? K : P[K] extends Defaulted<TSchema> ? K : never;
}[keyof P];

/** The type of a schema before defaults were filled in. */
type InputOfSchema<S> =
  S extends TObject<infer P>
    ? { [K in Exclude<keyof P, LeftOut<P>>]: InputOfSchema<P[K]> } & { [K in LeftOut<P>]?: InputOfSchema<P[K]> }
    : S extends { '~kind': 'Array'; items: infer I }
      ? InputOfSchema<I>[]
      : S extends TSchema
        ? Static<S>
        : never;

export type InputOf<K> = K extends ApiKind<infer _T, infer Input> ? Input : never;

export function defineKind<Spec extends TObject, Status extends TObject>(
  declaration: Declaration<Spec, Status>,
): ApiKind<Stored<Spec, Status>, Written<Spec, Status>> {
  const { scope = 'Namespaced', shortNames = [], categories = [], columns = [], ...rest } = declaration;
  const key = kubeKind<Stored<Spec, Status>>({
    group: rest.group,
    version: rest.version,
    kind: rest.kind,
    plural: rest.plural,
    namespaced: scope === 'Namespaced',
  });
  return Object.freeze({
    ...key,
    ...rest,
    singular: rest.kind.toLowerCase(),
    listKind: `${rest.kind}List`,
    shortNames,
    categories,
    columns,
    statusSubresource: rest.status !== undefined,
  });
}
