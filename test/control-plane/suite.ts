import { inject } from 'vitest';
import type { SharedControlPlane } from './vitest.ts';

/**
 * The API server that the suites of a run share, or null where there is none:
 *
 *   const api = realApiServer();
 *   describe.skipIf(api === null)('...', () => { ... });
 *
 * Suites share it, so each works in namespaces of its own and cleans up what has no namespace.
 */
export function realApiServer(): SharedControlPlane | null {
  return inject('controlPlane');
}
