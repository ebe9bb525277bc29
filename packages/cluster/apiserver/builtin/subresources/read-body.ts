import type { ApiRequest } from '../../http/exchange.ts';
import type { JsonObject } from '../../schema/structural.ts';

/** How a request's body becomes an object: JSON, YAML, protobuf. Whoever has the descriptors gives it in. */
export type ReadBody = (request: ApiRequest) => JsonObject;
