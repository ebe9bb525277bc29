import { anything, defaulted, duration, list, object, oneOf, optional, text } from '../schema/fields.ts';
import { auditMethods } from './constants.ts';

/** Characters that a header name may have. */
export const headerName = (options: { lowerCase?: boolean } = {}) =>
  text({
    minLength: 1,
    maxLength: 256,
    pattern: `^[${options.lowerCase ? '' : 'A-Z'}a-z0-9!#$%&'*+\\-.^_|~]+$`,
    examples: ['x-trace', 'x-team'],
  });

/** A name that can stand in an expression. */
export const shortName = () =>
  text({ minLength: 1, maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$', examples: ['first', 'second'] });

const body = object({
  json: optional(
    anything({ description: 'Strings in it are templates.', examples: [{ host: '{{ .Request.Host }}' }] }),
  ),
  text: optional(text({ maxLength: 8192 })),
});

const webhook = object({
  url: text({ minLength: 1, maxLength: 2048 }),
  timeout: defaulted(
    duration({
      rules: [
        {
          rule: "duration(self) >= duration('500ms') && duration(self) <= duration('30s')",
          message: 'timeout must be between 500ms and 30s',
        },
      ],
      examples: ['5s'],
    }),
    '2s',
  ),
  request: optional(
    object({
      method: defaulted(oneOf(auditMethods), 'POST'),
      headers: optional(list(object({ name: headerName(), value: text({ maxLength: 2048 }) }))),
      body: optional(body),
    }),
  ),
});

/** kruise 1.9: one report about a request that a rule matched. */
export const auditEntry = object({
  name: shortName(),
  when: optional(text({ maxLength: 1024, description: 'CEL; empty is always.' })),
  webhook,
});
