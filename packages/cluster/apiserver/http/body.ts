/** The body of a request as JSON, from whatever a client may send. */
import { isObject } from '../patch/merge-patch.ts';
import { decodeJson } from '../schema/decode/json.ts';
import { decodeYaml } from '../schema/decode/yaml.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import { badRequest, unsupportedMediaType } from './api-error.ts';
import type { ApiRequest } from './exchange.ts';

export interface Decoded {
  readonly value: JsonObject;
  readonly duplicates: readonly string[];
}

/** Protobuf of the built-in kinds; given in by whoever has the descriptors. */
export type DecodeProtobuf = (body: Buffer) => JsonObject;

const ACCEPTED = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

export function decodeObject(
  request: ApiRequest,
  decodeProtobuf: DecodeProtobuf | undefined,
  strict: boolean,
): Decoded {
  const type = mediaType(request);
  if (type === 'application/vnd.kubernetes.protobuf' && decodeProtobuf)
    return { value: decodeProtobuf(request.body), duplicates: [] };
  const { value, duplicates } = decodeText(request, type, strict);
  if (!isObject(value)) throw badRequest('the body must be an object');
  return { value, duplicates };
}

/** A patch: JSON or YAML by its own media type. An apply configuration is YAML, of which JSON is a part. */
export function decodePatch(request: ApiRequest): Json {
  const text = request.body.toString('utf8');
  return mediaType(request) === 'application/apply-patch+yaml' ? decodeYaml(text).value : decodeJson(text, false).value;
}

function decodeText(
  request: ApiRequest,
  type: string,
  strict: boolean,
): { value: Json; duplicates: readonly string[] } {
  const text = request.body.toString('utf8');
  // A body without a type, or with `*/*`, is JSON, as clients that set none expect.
  if (type === '' || type === 'application/json' || type === '*/*') return decodeJson(text, strict);
  if (type === 'application/yaml') return decodeYaml(text);
  throw unsupportedMediaType(type, ACCEPTED);
}

export const mediaType = (request: ApiRequest) =>
  (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
