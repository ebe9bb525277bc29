import { invalid } from '../../http/api-error.ts';
import type { Strategy } from '../../registry/resource.ts';
import type { JsonObject } from '../../schema/structural.ts';
import { invalidValue } from '../field-errors.ts';
import { ensureObject, fill, fillText, metadataAt, numberAt, objectsAt, specAt, stringsAt, textAt } from '../fields.ts';
import type { ServiceAddresses } from './addresses.ts';
import { validateService, validateServiceUpdate } from './validation.ts';

const STICKY_SECONDS = 10_800;

export function serviceStrategy(addresses?: ServiceAddresses): Strategy {
  return {
    applyDefaults: defaultService,
    prepareCreate(service) {
      service['status'] = { loadBalancer: {} };
      // What is refused anyway takes no address.
      if (addresses && validateService(service).length === 0) allocate(service, addresses);
    },
    prepareUpdate(service, old) {
      inherit(specAt(service), specAt(old));
      if (addresses && validateService(service).length === 0) allocate(service, addresses);
    },
    selectableFields: ['spec.clusterIP', 'spec.type'],
    validateCreate: validateService,
    validateUpdate: validateServiceUpdate,
  };
}

function defaultService(service: JsonObject): void {
  const spec = ensureObject(service, 'spec');
  fillText(spec, 'sessionAffinity', 'None');
  if (spec['sessionAffinity'] === 'None') delete spec['sessionAffinityConfig'];
  if (spec['sessionAffinity'] === 'ClientIP')
    fill(ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP'), { timeoutSeconds: STICKY_SECONDS });
  fillText(spec, 'type', 'ClusterIP');
  for (const port of objectsAt(spec, 'ports')) {
    fillText(port, 'protocol', 'TCP');
    if (port['targetPort'] === undefined || port['targetPort'] === 0 || port['targetPort'] === '')
      port['targetPort'] = numberAt(port, 'port') ?? 0;
  }
  const type = spec['type'];
  if (type === 'NodePort' || type === 'LoadBalancer') fillText(spec, 'externalTrafficPolicy', 'Cluster');
  if (type === 'LoadBalancer') fill(spec, { allocateLoadBalancerNodePorts: true });
  if (type === 'ExternalName') return;
  fill(spec, { internalTrafficPolicy: 'Cluster', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' });
  const [single, list] = [textAt(spec, 'clusterIP'), stringsAt(spec, 'clusterIPs')];
  if (single !== '' && list.length === 0) spec['clusterIPs'] = [single];
  if (single === '' && list[0] !== undefined) spec['clusterIP'] = list[0];
}

/** What the server chose stays chosen when an update does not speak of it. */
function inherit(spec: JsonObject, old: JsonObject): void {
  if (spec['type'] === 'ExternalName') return;
  for (const field of ['clusterIP', 'clusterIPs']) {
    const value = old[field];
    if (value !== undefined && spec[field] === undefined) spec[field] = value;
  }
  if (spec['type'] !== 'NodePort' && spec['type'] !== 'LoadBalancer') return;
  for (const port of objectsAt(spec, 'ports')) {
    const before = objectsAt(old, 'ports').find(
      (one) => one['port'] === port['port'] && one['protocol'] === port['protocol'],
    );
    const number = before?.['nodePort'];
    if (number !== undefined) fill(port, { nodePort: number });
  }
}

function allocate(service: JsonObject, addresses: ServiceAddresses): void {
  const spec = ensureObject(service, 'spec');
  const type = textAt(spec, 'type');
  if (type !== 'ExternalName') allocateAddress(service, spec, addresses);
  const takesPorts =
    type === 'NodePort' || (type === 'LoadBalancer' && spec['allocateLoadBalancerNodePorts'] !== false);
  if (!takesPorts) return;
  for (const port of objectsAt(spec, 'ports')) {
    if (numberAt(port, 'nodePort')) continue;
    const number = addresses.allocateNodePort();
    if (number !== undefined) port['nodePort'] = number;
  }
}

function allocateAddress(service: JsonObject, spec: JsonObject, addresses: ServiceAddresses): void {
  const wanted = textAt(spec, 'clusterIP');
  if (wanted === 'None') return;
  if (wanted === '') {
    const address = addresses.allocate();
    if (address === undefined) return;
    spec['clusterIP'] = address;
    spec['clusterIPs'] = [address];
    return;
  }
  // A change of a stored service carries the address that it has already.
  if (metadataAt(service)['resourceVersion'] !== undefined) return;
  const outcome = addresses.claim(wanted);
  if (outcome === 'ok') return;
  const why =
    outcome === 'taken'
      ? `failed to allocate IP ${wanted}: provided IP is already allocated`
      : `failed to allocate IP ${wanted}: the provided network does not match the current range`;
  throw invalid({ group: '', kind: 'Service' }, textAt(metadataAt(service), 'name'), [
    invalidValue('spec.clusterIPs', [wanted], why),
  ]);
}
