/** What two OpenAPI documents of different servers must have in common. */
import type { Json, JsonObject } from '../../schema/structural.ts';

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Descriptions are not taken over, references are wrapped when something stands beside them, and options and watch events name
 * all groups of a server.
 */
export function withoutProse(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (!isObject(value)) return value;
  const entries = Object.entries(value)
    .filter(([key, one]) => key !== 'description' || typeof one !== 'string')
    .map(([key, one]): [string, Json] => [key, withoutProse(one)]);
  const { allOf, ...plain } = Object.fromEntries(entries);
  const [wrapped] = Array.isArray(allOf) ? allOf : [];
  if (isObject(wrapped) && wrapped['$ref'] !== undefined) return { ...plain, ...wrapped };
  const kinds = plain['x-kubernetes-group-version-kind'];
  const [first] = Array.isArray(kinds) ? kinds : [];
  if (isObject(first) && OF_ALL_GROUPS.has(String(first['kind']))) delete plain['x-kubernetes-group-version-kind'];
  return allOf === undefined ? plain : { ...plain, allOf };
}

const OF_ALL_GROUPS = new Set(['DeleteOptions', 'WatchEvent']);

const METHODS = ['get', 'put', 'post', 'delete', 'patch'];
/** Parameters of the real server that ours does not know. */
const NOT_HERE = new Set(['shardSelector', 'ignoreStoreReadErrorWithClusterBreakingPotential']);

type Parameters = readonly { readonly name: string; readonly in: string; readonly $ref?: string }[];

/** `GET /path`: its identifier, action, kind and the names of its parameters. */
export function operations(paths: Readonly<Record<string, JsonObject>>, shared: JsonObject = {}): JsonObject {
  const found: JsonObject = {};
  for (const [path, item] of Object.entries(paths)) {
    if (path.includes('/watch/')) continue;
    for (const method of METHODS) {
      const operation = item[method];
      if (!isObject(operation)) continue;
      const isPlain =
        !['connect', undefined].includes(operation['x-kubernetes-action'] as string) && !path.endsWith('/log');
      const parameters = [
        ...((item['parameters'] ?? []) as unknown as Parameters),
        ...((operation['parameters'] ?? []) as unknown as Parameters),
      ]
        .map((one) =>
          one.$ref === undefined
            ? one
            : (shared[one.$ref.replace('#/parameters/', '')] as unknown as Parameters[number]),
        )
        .filter((one) => one.in !== 'body' && !NOT_HERE.has(one.name))
        .map((one) => `${one.in} ${one.name}`)
        .sort();
      // Of streams and proxies only that they are there.
      if (!path.includes('/proxy'))
        found[`${method.toUpperCase()} ${path}`] = {
          id: operation['operationId'] ?? null,
          action: operation['x-kubernetes-action'] ?? null,
          kind: operation['x-kubernetes-group-version-kind'] ?? null,
          tags: operation['tags'] ?? null,
          ...(isPlain && { parameters }),
        };
    }
  }
  return found;
}
