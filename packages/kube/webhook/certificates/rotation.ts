import { backdateMs, factsOf, issueServing, makeAuthority, splitBundle } from './authority.ts';
import type { KeyPair } from './source.ts';

/** What the replicas of a webhook share, in a Secret. */
export interface CertificateState {
  /** PEM bundle of the authorities that clients should trust, the newest first. */
  readonly bundle: string;
  /** The key of the newest authority. */
  readonly authorityKey: string;
  readonly serving: KeyPair;
}

export interface RotationPolicy {
  readonly commonName: string;
  /** DNS names and addresses under which the API server reaches the webhook. */
  readonly names: readonly string[];
  readonly authorityLifetimeMs: number;
  readonly servingLifetimeMs: number;
  /** How long a new authority is published before a certificate of it is served. */
  readonly settleMs: number;
}

/**
 * What the state should be now; the very same object when it is right as it is. A new authority goes in three steps,
 * so that at every moment whatever is served is trusted by whatever is published:
 *
 *   1. when a third of its life is left, a new authority is added to the bundle; the old certificate is still served
 *   2. when the bundle had time to reach every API server, a certificate of the new authority is served
 *   3. when the old authority has expired, it leaves the bundle
 */
export async function nextState(
  state: CertificateState | undefined,
  now: number,
  policy: RotationPolicy,
): Promise<CertificateState> {
  if (state === undefined || !isWhole(state)) return firstState(now, policy);
  const [newest = '', ...older] = splitBundle(state.bundle);
  const alive = older.filter((authority) => factsOf(authority).notAfter > now);
  const authority = factsOf(newest);
  const serving = factsOf(state.serving.certificate);

  // Nothing that is trusted can be served any more: overlap would only keep the outage going.
  if (authority.notAfter <= now) return firstState(now, policy);
  if (isDue(authority, now)) {
    const made = await newAuthority(now, policy);
    return { ...state, bundle: [made.certificate, newest, ...alive].join(''), authorityKey: made.key };
  }
  const settled = now >= authority.notBefore + backdateMs + policy.settleMs;
  const moves = settled && !serving.issuedBy(newest);
  const renews = serving.issuedBy(newest) && (isDue(serving, now) || !covers(serving.names, policy.names));
  if (moves || renews || serving.notAfter <= now) {
    const issued = await newServing({ certificate: newest, key: state.authorityKey }, now, policy);
    return { ...state, bundle: [newest, ...alive].join(''), serving: issued };
  }
  if (alive.length < older.length) return { ...state, bundle: [newest, ...alive].join('') };
  return state;
}

async function firstState(now: number, policy: RotationPolicy): Promise<CertificateState> {
  const authority = await newAuthority(now, policy);
  return {
    bundle: authority.certificate,
    authorityKey: authority.key,
    serving: await newServing(authority, now, policy),
  };
}

const newAuthority = (now: number, { commonName, authorityLifetimeMs: lifetimeMs }: RotationPolicy) =>
  makeAuthority(commonName, { now, lifetimeMs });
const newServing = (authority: KeyPair, now: number, { names, servingLifetimeMs: lifetimeMs }: RotationPolicy) =>
  issueServing(authority, names, { now, lifetimeMs });

const isDue = ({ notBefore, notAfter }: { notBefore: number; notAfter: number }, now: number) =>
  notAfter - now < (notAfter - notBefore) / 3;
const covers = (has: readonly string[], wanted: readonly string[]) => wanted.every((name) => has.includes(name));

/** A Secret that somebody emptied or cut is made anew, not stumbled over forever. */
function isWhole({ bundle, authorityKey, serving }: CertificateState): boolean {
  try {
    factsOf(serving.certificate);
    return splitBundle(bundle).map(factsOf).length > 0 && authorityKey !== '' && serving.key !== '';
  } catch {
    return false;
  }
}
