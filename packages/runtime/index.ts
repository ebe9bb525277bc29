/**
 * The daemon inside a sandbox: it starts commands, streams their output, reads and writes files, watches folders and opens
 * terminals, in the protocol of E2B's daemon. Nothing here imports another package of ours: what runs inside a sandbox shares
 * no code with what controls it.
 *
 * A walk through it, from the outside in:
 *
 *   server/      listeners, settings, the order of checks, /init /health /envs /metrics
 *   auth/        the owner's token, signed URLs, Linux users
 *   connect/     the Connect protocol: frames, three kinds of calls, deadlines, slow clients
 *   process/     `process.Process`: a process, its readers, its ring; the port to whatever starts processes
 *   filesystem/  `filesystem.Filesystem`: entries, lists, watches
 *   files/       /files: uploads and downloads
 *   ports/       what listens on loopback, made reachable
 *   reset/       back to the clean state, with proof
 *   helper/      the static program in C that does what Node can't, and our side of its socket
 *   pack/        the bundle, and the folder that runs in any image
 *
 * A request comes in by `server/router.ts`. Start reading there; for commands go on with `process/start.ts`.
 */
export { packRuntime } from './pack/pack.ts';
export { type Config, ConfigError, parseConfig } from './server/config.ts';
export { type Runtime, startRuntime } from './server/runtime.ts';
export { fullVersion, reducedVersion } from './server/version.ts';
