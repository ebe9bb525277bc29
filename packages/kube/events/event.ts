import { apiVersionOf, type Kind } from '../kind.ts';
import type { Event, ObjectReference } from '../kinds/index.ts';
import type { Frozen, KubeObject } from '../object.ts';
import { microTimestamp } from '../time.ts';

export interface EventInput {
  /** Default Normal. Warning is for what somebody should look at. */
  readonly type?: 'Normal' | 'Warning';
  /** Why, in one UpperCamelCase word that programs can match: `PoolFull`. */
  readonly reason: string;
  /** What was done or tried, in one UpperCamelCase word: `Allocating`. */
  readonly action: string;
  /** A sentence for people. Cut at 1024 characters. */
  readonly note: string;
  /** The second object of the story: the pod that was made for the pool. */
  readonly related?: ObjectReference;
}

/** The API server refuses what is longer. */
const maxNote = 1024;
const maxWord = 128;

export function referenceTo(kind: Kind, object: Frozen<KubeObject>): ObjectReference {
  const { namespace, name, uid } = object.metadata ?? {};
  return {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    ...(namespace && { namespace }),
    ...(name && { name }),
    ...(uid && { uid }),
  };
}

/** Equal keys are repetitions of one another. The note is not part of it, so that a counter in it does not flood. */
export function eventKey(regarding: ObjectReference, { type = 'Normal', reason, action, related }: EventInput): string {
  const identity = (reference?: ObjectReference) => [
    reference?.kind,
    reference?.namespace,
    reference?.name,
    reference?.uid,
  ];
  return JSON.stringify([type, reason, action, identity(regarding), identity(related)]);
}

let counter = 0;

export function newEvent(
  regarding: ObjectReference,
  { type = 'Normal', reason, action, note, related }: EventInput,
  { controller, instance }: { readonly controller: string; readonly instance: string },
  now: number,
): Event & { metadata: { name: string; namespace: string } } {
  // Unique per process and millisecond; two replicas that meet in both get a 409, and one event is enough then.
  counter = (counter + 1) % 0x10000;
  const suffix = `${now.toString(16)}${counter.toString(16).padStart(4, '0')}`;
  const name = `${(regarding.name ?? 'unnamed').slice(0, 253 - suffix.length - 1)}.${suffix}`;
  return {
    // Objects without a namespace tell their story in `default`: events have no cluster scope.
    metadata: { name, namespace: regarding.namespace ?? 'default' },
    eventTime: microTimestamp(now),
    reportingController: cut(controller, maxWord),
    reportingInstance: cut(instance, maxWord),
    type,
    reason: cut(reason, maxWord),
    action: cut(action, maxWord),
    note: cut(note, maxNote),
    regarding,
    ...(related && { related }),
  };
}

/** In bytes, as the server counts, and never in the middle of a character. */
function cut(text: string, max: number): string {
  if (Buffer.byteLength(text) <= max) return text;
  const bytes = Buffer.from(text).subarray(0, max - 3);
  return `${bytes.toString('utf8').replace(/\uFFFD+$/, '')}…`;
}
