import { type Lack, missing, SHARED_BINARIES } from './binaries.ts';
import { canRunRealNode } from './real-node/requirements.ts';

type Need = { readonly ok: true } | ({ readonly ok: false } & Lack);

/** What the suites on a real API server lack, for the script that runs all suites. */
export function controlPlaneNeed(): Need {
  const lack = missing(SHARED_BINARIES);
  return lack === undefined ? { ok: true } : { ok: false, ...lack };
}

/** What the suites on a real node lack. */
export function realNodeNeed(): Need {
  return canRunRealNode();
}
