/**
 * The embedded, single-machine Kubernetes.
 *
 * `store/` is its storage, an etcd in small. `openStore({ folder })` opens one on disk, `openMemoryStore()` one that is
 * forgotten; both are `LogStore` (store/log-store.ts), which is where to begin reading: writes queue there, become durable
 * in a `Log` (store/log.ts), and only then enter the `State` (store/state.ts) that answers all reads from memory and the
 * `WatchHub` (store/watch-hub.ts) that tells watches. The log on disk is SQLite in a thread of its own (store/sqlite/).
 *
 * `apiserver/` is a Kubernetes API server over that store: `startApiServer` (apiserver/server.ts) shows in one screen how its
 * rooms fit together. docs/decisions/0021 says why they are cut so.
 */

export { kubeconfigText } from './apiserver/auth/kubeconfig.ts';
export { openMemoryPki, openPki, type Pki } from './apiserver/auth/pki/pki.ts';
export { type ApiServer, type ApiServerOptions, startApiServer } from './apiserver/server.ts';
export { type Continue, decodeContinue, encodeContinue } from './store/continue.ts';
export { isStoreError, StoreError, type StoreErrorCode, storeErrorCodes } from './store/errors.ts';
export type { HistoryLimits } from './store/history.ts';
export type { LogStoreOptions } from './store/log-store.ts';
export { openMemoryStore, openStore, type StoreOptions } from './store/open.ts';
export { restoreStore } from './store/sqlite/backup.ts';
export type { Durability } from './store/sqlite/database.ts';
export type {
  Entry,
  ListOptions,
  NewValue,
  Outcome,
  Page,
  Store,
  StoreEvent,
  StoreStats,
  Watch,
  WatchOptions,
  Write,
} from './store/store.ts';
