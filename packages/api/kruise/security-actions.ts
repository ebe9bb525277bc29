import { defaulted, flag, int32, list, listMap, map, object, oneOf, optional, text } from '../schema/fields.ts';
import { auditEntry, headerName } from './audit.ts';
import {
  credentialKinds,
  failStrategies,
  mcpActions,
  tokenTransformations,
  unsupportedVersionActions,
} from './constants.ts';

const resourceName = () => text({ minLength: 1, maxLength: 253 });
const statusCode = () => defaulted(int32({ minimum: 100, maximum: 599 }), 403);

const credentialRef = object({
  secret: optional(object({ name: resourceName(), namespace: optional(resourceName()) })),
  credentialProvider: optional(
    object({
      name: resourceName(),
      namespace: optional(resourceName()),
      parameters: optional(
        map(
          object({
            value: optional(text({ maxLength: 2048 })),
            cel: optional(text({ minLength: 1, maxLength: 1024 })),
            template: optional(text({ minLength: 1, maxLength: 2048 })),
          }),
        ),
      ),
    }),
  ),
  kind: optional(oneOf(credentialKinds, { description: 'Deprecated, with the two below.' })),
  name: optional(resourceName()),
  namespace: optional(resourceName()),
});

const tokenTransformation = object({
  disabled: defaulted(flag(), false),
  failStrategy: defaulted(oneOf(failStrategies), 'Block'),
  type: defaulted(oneOf(tokenTransformations), 'ApiKey'),
  credentialRef,
  apiKey: optional(
    object({
      when: optional(object({ header: headerName(), pattern: text({ minLength: 1, maxLength: 512 }) })),
      targetHeader: defaulted(headerName(), 'Authorization'),
      valueTemplate: text({ minLength: 1, maxLength: 1024 }),
    }),
  ),
});

const mcpToolPolicy = object({
  defaultAction: defaulted(oneOf(mcpActions), 'deny'),
  unsupportedVersionAction: defaulted(oneOf(unsupportedVersionActions), 'deny'),
  denyResponse: optional(object({ statusCode: statusCode(), body: optional(text()) })),
  rules: list(
    object({ method: text({ minLength: 1 }), toolNames: optional(list(text())), action: oneOf(mcpActions) }),
    { minItems: 1 },
  ),
});

const headerManipulation = object({
  set: optional(
    listMap(object({ name: headerName({ lowerCase: true }), value: text({ maxLength: 2048 }) }), 'name', {
      maxItems: 16,
    }),
  ),
  remove: optional(list(headerName({ lowerCase: true }), { maxItems: 16 })),
});

/** kruise 1.9: what happens to a request that a rule matched, in this order: bypass, block, tools, headers, token. */
export const ruleActions = object({
  bypass: optional(flag()),
  block: optional(object({ statusCode: statusCode(), body: optional(text()) })),
  mcpToolPolicy: optional(mcpToolPolicy),
  headerManipulation: optional(headerManipulation),
  tokenTransformation: optional(tokenTransformation),
  audit: optional(listMap(auditEntry, 'name')),
});
