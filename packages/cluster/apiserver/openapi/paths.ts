/** Everything that the API server says about itself: discovery, OpenAPI in both versions, and its own version. */
import type { PathHandler } from '../http/handler.ts';
import type { Registry } from '../registry/registry.ts';
import { discoveryPaths } from './discovery.ts';
import { openApiV2Path } from './v2.ts';
import { openApiV3Paths } from './v3.ts';
import { versionPath } from './version.ts';

export function documentPaths(registry: Registry, now: () => Date): PathHandler[] {
  return [discoveryPaths(registry), openApiV3Paths(registry, now), openApiV2Path(registry), versionPath];
}
