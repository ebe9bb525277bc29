/** `/version`: what clients compare their own version with, and charts their `kubeVersion`. */
import { arch, platform } from 'node:process';
import snapshot from '@sandbank/kube/kinds/snapshot' with { type: 'json' };
import { jsonResponse } from '../http/exchange.ts';
import type { PathHandler } from '../http/handler.ts';
import { isRead, trimmed } from './documents.ts';

const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(snapshot.kubernetes) ?? [];
const GO_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The Kubernetes that this server stands in for. What follows the plus sign does not count when versions are compared. */
export const serverVersion = {
  major,
  minor,
  emulationMajor: major,
  emulationMinor: minor,
  minCompatibilityMajor: major,
  minCompatibilityMinor: String(Number(minor) - 1),
  gitVersion: `${snapshot.kubernetes}+sandbank`,
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: '',
  compiler: 'node',
  platform: `${platform}/${GO_ARCHITECTURES[arch] ?? arch}`,
};

export const versionPath: PathHandler = (request) =>
  isRead(request) && trimmed(request.path) === '/version' ? jsonResponse(200, serverVersion) : undefined;
