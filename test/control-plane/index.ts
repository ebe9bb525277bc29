/**
 * A real Kubernetes control plane for tests, in seconds, that leaves nothing behind.
 *
 *   await using cluster = await startControlPlane({ controllerManager: true });
 *   await cluster.kubectl(['get', 'namespaces']);
 *
 * `startControlPlane` (here) puts the parts together: `etcd.ts`, `api-server.ts`, `controllers.ts`,
 * `simulated-nodes.ts`, and with root a whole node from `real-node/`. `process/` starts daemons and makes sure that
 * they end, whatever becomes of us. `build.ts` and `build/` make the binaries; `binaries.ts` finds them.
 * `vitest.ts` shares one control plane among the suites of a run, which find it by `suite.ts`.
 */
export { missing, need } from './binaries.ts';
export { ControlPlane } from './control-plane.ts';
export { ControlPlaneError } from './errors.ts';
export { TEST_IMAGE } from './real-node/image.ts';
export { canRunRealNode } from './real-node/requirements.ts';
export { type ControlPlaneOptions, startControlPlane } from './start.ts';
