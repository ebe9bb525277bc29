import { Lease } from '../kinds/generated/coordination-v1.ts';

/** What a Lease says about who leads. */
export interface LeaderRecord {
  readonly holder: string;
  readonly durationMs: number;
  readonly acquireTime: string | undefined;
  readonly renewTime: string | undefined;
  readonly transitions: number;
  readonly resourceVersion: string | undefined;
}

export { Lease };

export function recordOf(lease: Lease): LeaderRecord {
  const { spec = {}, metadata } = lease;
  return {
    holder: spec.holderIdentity ?? '',
    durationMs: (spec.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec.acquireTime,
    renewTime: spec.renewTime,
    transitions: spec.leaseTransitions ?? 0,
    resourceVersion: metadata?.resourceVersion,
  };
}
