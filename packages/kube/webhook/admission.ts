import type { JsonPatchOperation } from '../client/contract.ts';
import type { Kind } from '../kind.ts';
import type { UserInfo } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';

/** What the API server is about to do, as it asks a webhook about it. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  /** Empty on create with generateName. */
  readonly name: string;
  readonly namespace: string;
  /** `status`, `scale`, …, or empty. */
  readonly subresource: string;
  readonly userInfo: UserInfo;
  /** Nothing may be done beside the answer. */
  readonly dryRun: boolean;
  /** What will be; absent on delete. */
  readonly object?: T;
  /** What is; present on update and delete. */
  readonly oldObject?: T;
  /** Aborts when the API server no longer waits for the answer. */
  readonly signal: AbortSignal;
}

/** A handler throws or returns this to refuse the request; the message is what the user of kubectl reads. */
export class Denial extends Error {
  override readonly name = 'Denial';
  readonly status: number;
  readonly reason: string;

  constructor(message: string, { status = 403, reason = 'Forbidden' }: { status?: number; reason?: string } = {}) {
    super(message);
    this.status = status;
    this.reason = reason;
  }
}

export interface ValidatingAnswer {
  /** Shown by kubectl; the server cuts them at 256 characters. */
  readonly warnings?: readonly string[];
}

/** Either a whole object, from which the patch is computed, or the patch itself; neither leaves the object as it is. */
export interface MutatingAnswer<T extends KubeObject> extends ValidatingAnswer {
  readonly object?: T;
  readonly patch?: readonly JsonPatchOperation[];
}

type Answer<A> = A | undefined | Denial;
// biome-ignore lint/suspicious/noConfusingVoidType: a handler that has nothing to say need not return.
type Handler<T extends KubeObject, A> = (request: AdmissionRequest<T>) => Answer<A> | void | Promise<Answer<A> | void>;

export interface Webhook<T extends KubeObject = KubeObject> {
  readonly type: 'mutating' | 'validating';
  readonly kind: Kind<T>;
  /** Where the configuration of the webhook must point to. */
  readonly path: string;
  /** A method, so that webhooks of different kinds fit one list. */
  handle(request: AdmissionRequest<T>): ReturnType<Handler<T, MutatingAnswer<T>>>;
}

/** A webhook that may change objects of a kind before they are validated and stored. The object it gets is its own. */
export function mutating<T extends KubeObject>(
  kind: Kind<T>,
  handle: Handler<T, MutatingAnswer<T>>,
  path = defaultPath('mutate', kind),
): Webhook<T> {
  return { type: 'mutating', kind, path, handle };
}

/** A webhook that may refuse objects of a kind, and warn about them. */
export function validating<T extends KubeObject>(
  kind: Kind<T>,
  handle: Handler<T, ValidatingAnswer>,
  path = defaultPath('validate', kind),
): Webhook<T> {
  return { type: 'validating', kind, path, handle };
}

/** `/mutate-apps-v1-deployment`, `/validate--v1-pod`: the paths that controller-runtime uses, so that manifests fit. */
function defaultPath(verb: string, { group, version, kind }: Kind): string {
  return `/${verb}-${group.replaceAll('.', '-')}-${version}-${kind.toLowerCase()}`;
}
