import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, oneOf, required, sameJson } from '../field-errors.ts';
import { numberAt, objectAt, objectsAt, specAt, stringsAt, textAt } from '../fields.ts';
import { dnsLabel, dnsSubdomain, ipAddress, named, portNumber } from '../names.ts';
import { validatePort } from '../pods/probe-validation.ts';
import { validateLabels } from '../selectors.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const AFFINITIES = ['ClientIP', 'None'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];

export function validateService(service: JsonObject): FieldError[] {
  const spec = specAt(service);
  const type = textAt(spec, 'type');
  const ports = objectsAt(spec, 'ports');
  const isHeadless = textAt(spec, 'clusterIP') === 'None';
  const errors: FieldError[] = [];
  if (ports.length === 0 && !isHeadless && type !== 'ExternalName') errors.push(required('spec.ports'));
  if (type === 'ExternalName') {
    const name = textAt(spec, 'externalName');
    if (textAt(spec, 'clusterIP') !== '')
      errors.push(forbiddenField('spec.clusterIPs', 'may not be set for ExternalName services'));
    if (name === '') errors.push(required('spec.externalName'));
    else errors.push(...named('spec.externalName', name.replace(/\.$/, ''), dnsSubdomain));
  }
  if (type === 'LoadBalancer' && isHeadless)
    errors.push(invalidValue('spec.clusterIPs[0]', 'None', "may not be set to 'None' for LoadBalancer services"));
  errors.push(...validatePorts(ports, isHeadless));
  errors.push(...validateLabels(objectAt(spec, 'selector'), 'spec.selector'));
  errors.push(...oneOf('spec.sessionAffinity', textAt(spec, 'sessionAffinity'), AFFINITIES));
  const seconds = numberAt(objectAt(objectAt(spec, 'sessionAffinityConfig'), 'clientIP'), 'timeoutSeconds');
  if (seconds !== undefined && (seconds <= 0 || seconds > 86_400))
    errors.push(
      invalidValue(
        'spec.sessionAffinityConfig.clientIP.timeoutSeconds',
        seconds,
        'must be greater than 0 and less than 86400',
      ),
    );
  if (type !== 'ExternalName') errors.push(...validateAddresses(spec));
  for (const [index, address] of stringsAt(spec, 'externalIPs').entries())
    errors.push(...named(`spec.externalIPs[${index}]`, address, ipAddress));
  if (!TYPES.includes(type)) errors.push(notSupported('spec.type', type, TYPES));
  errors.push(...duplicatePorts(ports));
  return errors;
}

function validateAddresses(spec: JsonObject): FieldError[] {
  const addresses = stringsAt(spec, 'clusterIPs');
  if (addresses.length > 0 && addresses[0] !== textAt(spec, 'clusterIP'))
    return [invalidValue('spec.clusterIPs', addresses, 'first value must match `clusterIP`')];
  return addresses.flatMap((address, index) =>
    address === 'None' && index === 0 ? [] : named(`spec.clusterIPs[${index}]`, address, ipAddress),
  );
}

function validatePorts(ports: readonly JsonObject[], isHeadless: boolean): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap((port, index) => {
    const at = `spec.ports[${index}]`;
    const errors: FieldError[] = [];
    const name = textAt(port, 'name');
    if (ports.length > 1 && name === '') errors.push(required(`${at}.name`));
    else if (name !== '') {
      errors.push(...named(`${at}.name`, name, dnsLabel));
      if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
      names.add(name);
    }
    const number = numberAt(port, 'port') ?? 0;
    errors.push(...portNumber(number).map((why) => invalidValue(`${at}.port`, number, why)));
    const protocol = textAt(port, 'protocol');
    if (!PROTOCOLS.includes(protocol)) errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
    errors.push(...validatePort(port['targetPort'], `${at}.targetPort`));
    if (isHeadless && numberAt(port, 'nodePort'))
      errors.push(forbiddenField(`${at}.nodePort`, 'may not be used with headless services'));
    return errors;
  });
}

function duplicatePorts(ports: readonly JsonObject[]): FieldError[] {
  const seen = new Set<string>();
  return ports.flatMap((port, index) => {
    const [protocol, number] = [textAt(port, 'protocol'), numberAt(port, 'port') ?? 0];
    const key = `${protocol}/${number}`;
    const isTwice = seen.has(key);
    seen.add(key);
    const shown = { Name: '', Protocol: protocol, AppProtocol: null, Port: number, TargetPort: 0, NodePort: 0 };
    return isTwice ? [duplicate(`spec.ports[${index}]`, shown)] : [];
  });
}

export function validateServiceUpdate(service: JsonObject, old: JsonObject): FieldError[] {
  const [spec, before] = [specAt(service), specAt(old)];
  const [now, then] = [stringsAt(spec, 'clusterIPs'), stringsAt(before, 'clusterIPs')];
  const bothClustered = textAt(spec, 'type') !== 'ExternalName' && textAt(before, 'type') !== 'ExternalName';
  const errors: FieldError[] = [];
  if (bothClustered && then.length > 0 && !sameJson(now, then))
    errors.push(invalidValue('spec.clusterIPs[0]', now, 'may not change once set'));
  return [...errors, ...validateService(service)];
}
