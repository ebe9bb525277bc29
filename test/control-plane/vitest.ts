import type { TestProject } from 'vitest/node';
import { missing, SHARED_BINARIES } from './binaries.ts';
import { binaryFolder } from './build/cache.ts';
import { startControlPlane } from './start.ts';

/** How a suite reaches the control plane that all suites of a run share. */
export type SharedControlPlane = {
  /** Path of the administrator's kubeconfig. */
  readonly kubeconfig: string;
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  /** Folder of the binaries that were built here. */
  readonly binDir: string;
};

declare module 'vitest' {
  export interface ProvidedContext {
    controlPlane: SharedControlPlane | null;
  }
}

/**
 * Vitest's global set-up: one control plane for the whole run, with garbage collection, without a scheduler. Where the
 * binaries are missing, suites are told so and skip themselves; in CI that is a failure.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const lack = missing(SHARED_BINARIES);
  if (lack !== undefined) {
    const why = `${lack.reason}; ${lack.remedy}.`;
    if (process.env['CI']) throw new Error(`Suites on a real API server must run in CI, and cannot: ${why}`);
    process.stderr.write(`Suites on a real API server are skipped: ${why}\n`);
    project.provide('controlPlane', null);
    return undefined;
  }
  const cluster = await startControlPlane({ controllerManager: true });
  project.provide('controlPlane', {
    kubeconfig: cluster.adminKubeconfig,
    url: cluster.url,
    ca: cluster.ca,
    token: cluster.adminToken,
    binDir: binaryFolder(),
  });
  return () => cluster[Symbol.asyncDispose]();
}
