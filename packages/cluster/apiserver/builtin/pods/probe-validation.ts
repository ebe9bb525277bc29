/** What probes and hooks do, and how often. */
import type { FieldError, Json, JsonObject } from '../../schema/structural.ts';
import { forbiddenField, invalidValue, notNegative, notSupported, required } from '../field-errors.ts';
import { maybeObject, numberAt, objectsAt, stringsAt, textAt } from '../fields.ts';
import { portName, portNumber } from '../names.ts';

const SCHEMES = ['HTTP', 'HTTPS'];

export function validateProbe(probe: JsonObject | undefined, field: string, mustSucceedOnce: boolean): FieldError[] {
  if (!probe) return [];
  const errors = validateHandler(probe, field, ['exec', 'httpGet', 'tcpSocket', 'grpc']);
  for (const name of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'])
    errors.push(...notNegative(`${field}.${name}`, numberAt(probe, name)));
  const grace = numberAt(probe, 'terminationGracePeriodSeconds');
  if (grace !== undefined && grace <= 0)
    errors.push(invalidValue(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  if (mustSucceedOnce && numberAt(probe, 'successThreshold') !== 1)
    errors.push(invalidValue(`${field}.successThreshold`, numberAt(probe, 'successThreshold'), 'must be 1'));
  return errors;
}

export function validateHandler(handler: JsonObject, field: string, known: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  let count = 0;
  for (const kind of known) {
    const action = maybeObject(handler, kind);
    if (!action) continue;
    if (count++ > 0) errors.push(forbiddenField(`${field}.${kind}`, 'may not specify more than 1 handler type'));
    else errors.push(...validateAction(kind, action, `${field}.${kind}`));
  }
  if (count === 0) errors.push(required(field, 'must specify a handler type'));
  return errors;
}

function validateAction(kind: string, action: JsonObject, field: string): FieldError[] {
  switch (kind) {
    case 'exec':
      return stringsAt(action, 'command').length === 0 ? [required(`${field}.command`)] : [];
    case 'httpGet': {
      const errors: FieldError[] = textAt(action, 'path') === '' ? [required(`${field}.path`)] : [];
      errors.push(...validatePort(action['port'], `${field}.port`));
      const scheme = textAt(action, 'scheme');
      if (!SCHEMES.includes(scheme)) errors.push(notSupported(`${field}.scheme`, scheme, SCHEMES));
      for (const header of objectsAt(action, 'httpHeaders')) {
        const name = textAt(header, 'name');
        if (!/^[-A-Za-z0-9]+$/.test(name))
          errors.push(
            invalidValue(
              `${field}.httpHeaders`,
              name,
              "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is '[-A-Za-z0-9]+')",
            ),
          );
      }
      return errors;
    }
    case 'tcpSocket':
      return validatePort(action['port'], `${field}.port`);
    case 'grpc':
      return portNumber(numberAt(action, 'port') ?? 0).map((why) =>
        invalidValue(`${field}.port`, numberAt(action, 'port') ?? 0, why),
      );
    default:
      return [];
  }
}

export function validatePort(port: Json | undefined, field: string): FieldError[] {
  const complaints = typeof port === 'string' ? portName(port) : portNumber(typeof port === 'number' ? port : 0);
  return complaints.map((why) => invalidValue(field, port ?? 0, why));
}
