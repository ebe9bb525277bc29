/**
 * OpenAPI v2: one document of all kinds, as JSON and as protobuf. Older clients, and newer ones that find no v3, take the second.
 */
import { ApiError } from '../http/api-error.ts';
import type { PathHandler } from '../http/handler.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { firstOf } from './accept.ts';
import { builtinDefinitions, customDefinitions, type Definition, reachable } from './definitions.ts';
import { answer, byGeneration, type Document, documentOf, isRead, jsonDocument, trimmed } from './documents.ts';
import { encodeDocument } from './gnostic/encode.ts';
import { servedGroups } from './groups.ts';
import { type Operation, type Parameter, type PathItem, pathItems, RESPONSES, referenced } from './operations.ts';
import { serverVersion } from './version.ts';

const JSON_TYPE = 'application/json';
const PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';
/** The name that the type had first, which is no valid media type and which clients still send. */
const OLD_PROTOBUF_TYPE = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

export function openApiV2Path(registry: Registry): PathHandler {
  const source = byGeneration(registry, documentV2);
  const asJson = byGeneration(registry, () => jsonDocument(source()));
  const asProtobuf = byGeneration(registry, () => documentOf(PROTOBUF_TYPE, encodeDocument(source())));
  return (request) => {
    if (!isRead(request) || trimmed(request.path) !== '/openapi/v2') return undefined;
    const type = firstOf(request.headers['accept'], [JSON_TYPE, PROTOBUF_TYPE, OLD_PROTOBUF_TYPE]);
    if (type === undefined)
      throw new ApiError(
        406,
        'NotAcceptable',
        `only the following media types are accepted: ${JSON_TYPE}, ${PROTOBUF_TYPE}`,
      );
    const document: Document = type === JSON_TYPE ? asJson() : asProtobuf();
    return answer(request, document, { 'cache-control': 'no-cache, private' });
  };
}

function documentV2(resources: readonly Resource[]): JsonObject {
  const items = servedGroups(resources)
    .flatMap(({ versions }) => versions)
    .flatMap(pathItems)
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const own: Record<string, Definition> = {};
  for (const resource of resources) {
    if (resource.builtin) continue;
    for (const [name, definition] of Object.entries(customDefinitions(resource)))
      own[name] = customV2(definition, true);
  }
  const definitions = reachable(referenced(items), (name) => own[name] ?? builtinDefinitions[name]);
  return {
    swagger: '2.0',
    info: { title: 'Kubernetes', version: `${serverVersion.major}.${serverVersion.minor}` },
    paths: Object.fromEntries(items.map((item) => [item.path, pathObject(item)])),
    definitions: Object.fromEntries([...definitions].map(([name, definition]) => [name, schemaV2(definition)])),
    securityDefinitions: { BearerToken: { type: 'apiKey', name: 'authorization', in: 'header' } },
    security: [{ BearerToken: [] }],
  };
}

function pathObject({ parameters, operations }: PathItem): JsonObject {
  return {
    ...Object.fromEntries(Object.entries(operations).map(([method, one]) => [method, operationObject(one)])),
    ...(parameters.length > 0 && { parameters: parameters.map(parameterObject) }),
  };
}

function operationObject({ id, tag, action, kind, parameters, body, responses }: Operation): JsonObject {
  const bodyParameter = body && {
    name: 'body',
    in: 'body',
    ...(body.required && { required: true }),
    schema: { $ref: refV2(body.definition) },
  };
  return {
    consumes: [...(body?.types ?? ['*/*'])],
    produces: [JSON_TYPE],
    schemes: ['https'],
    tags: [tag],
    operationId: id,
    ...((bodyParameter || parameters.length > 0) && {
      parameters: [...(bodyParameter ? [bodyParameter] : []), ...parameters.map(parameterObject)],
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, definition]) => [status, responseObject(status, definition)]),
    ),
    ...(action !== undefined && { 'x-kubernetes-action': action }),
    ...(kind && { 'x-kubernetes-group-version-kind': { ...kind } }),
  };
}

const parameterObject = ({ name, in: where, type }: Parameter): JsonObject => ({
  uniqueItems: true,
  type,
  name,
  in: where,
  ...(where === 'path' && { required: true }),
});

function responseObject(status: string, definition: string | undefined): JsonObject {
  const description = RESPONSES[status] ?? 'OK';
  if (status === '401') return { description };
  return { description, schema: definition === undefined ? { type: 'string' } : { $ref: refV2(definition) } };
}

const refV2 = (name: string) => `#/definitions/${name}`;

/** v2 has no defaults here and no choice between types: a number or a text is a text. */
function schemaV2(definition: Definition): JsonObject {
  const { $ref, properties, items, additionalProperties, oneOf, default: _, ...own } = definition;
  return {
    ...(own as JsonObject),
    ...(oneOf && { type: 'string' }),
    ...($ref !== undefined && { $ref: refV2($ref) }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, schemaV2(one)])),
    }),
    ...(items && { items: schemaV2(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : (schemaV2(additionalProperties) as Json),
    }),
  };
}

/** What v2 cannot say is left open: of a value that may be null, or of anything, only its extensions are told. */
function customV2(definition: Definition, isRoot = false): Definition {
  const { properties, items, additionalProperties, allOf, anyOf, oneOf, not, nullable, type, ...rest } = definition;
  const isOpen =
    nullable === true ||
    definition['x-kubernetes-preserve-unknown-fields'] === true ||
    definition['x-kubernetes-int-or-string'] === true;
  if (isOpen && isRoot) {
    const kinds = definition['x-kubernetes-group-version-kind'];
    return { type: 'object', ...(kinds && { 'x-kubernetes-group-version-kind': kinds }) };
  }
  const isEmbedded = definition['x-kubernetes-embedded-resource'] === true;
  const { required, ...unrequired } = rest;
  if (isOpen) return isEmbedded ? unrequired : rest;
  return {
    ...rest,
    ...(type !== undefined && { type }),
    ...(properties && {
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, customV2(one)])),
    }),
    ...(items && { items: customV2(items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'boolean' ? additionalProperties : customV2(additionalProperties),
    }),
  };
}
