import { defaulted, int32, list, object, oneOf, optional, text } from '../schema/fields.ts';
import { headerName } from './audit.ts';
import { httpMethods, pathMatchTypes, stringMatchTypes } from './constants.ts';

const valueMatch = { type: defaulted(oneOf(stringMatchTypes), 'Exact'), value: text({ minLength: 1, maxLength: 512 }) };

/** kruise 1.9: which requests a rule is for. The fields of one entry are joined by and. */
export const ruleMatch = object({
  domains: list(text(), { minItems: 1, description: 'Host names; `*` and `*.example.com` are understood.' }),
  paths: optional(
    list(object({ type: defaulted(oneOf(pathMatchTypes), 'Prefix'), value: text({ minLength: 1, maxLength: 256 }) })),
  ),
  methods: optional(list(oneOf(httpMethods))),
  ports: optional(list(int32({ minimum: 1, maximum: 65535 }))),
  schemes: optional(
    list(text({ minLength: 1, maxLength: 32, pattern: '^[a-zA-Z][a-zA-Z0-9+\\-.]*$', examples: ['https'] })),
  ),
  headers: optional(list(object({ name: headerName(), ...valueMatch }))),
  queryParams: optional(
    list(
      object({
        name: text({
          minLength: 1,
          maxLength: 256,
          pattern: "^[A-Za-z0-9!$&'()*+,\\-./:;=?@_~\\[\\]]+$",
          examples: ['page'],
        }),
        ...valueMatch,
      }),
    ),
  ),
});
