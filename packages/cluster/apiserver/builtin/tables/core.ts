import type { Json, JsonObject } from '../../schema/structural.ts';
import { AGE, ageCell, type ColumnInput, NAME, nameCell, tableOf, wide } from '../columns.ts';
import { age } from '../duration.ts';
import { metadataAt, numberAt, objectAt, objectsAt, specAt, statusAt, stringsAt, textAt } from '../fields.ts';
import { labelsText } from '../selectors.ts';

const text = (name: string, says?: string): ColumnInput => [name, 'string', says === undefined ? {} : { says }];
const sizeOf = (object: JsonObject, ...fields: string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(objectAt(object, field)).length, 0);

export const configMapTable = tableOf([NAME, text('Data', 'How many keys it has.'), AGE], (map, now) => [
  nameCell(map),
  sizeOf(map, 'data', 'binaryData'),
  ageCell(map, now),
]);

export const secretTable = tableOf(
  [NAME, ['Type', 'string'], text('Data', 'How many keys it has.'), AGE],
  (secret, now) => [nameCell(secret), textAt(secret, 'type'), sizeOf(secret, 'data'), ageCell(secret, now)],
);

export const serviceAccountTable = tableOf([NAME, AGE], (account, now) => [nameCell(account), ageCell(account, now)]);

export const namespaceTable = tableOf([NAME, ['Status', 'string'], AGE], (namespace, now) => [
  nameCell(namespace),
  textAt(statusAt(namespace), 'phase'),
  ageCell(namespace, now),
]);

export const serviceTable = tableOf(
  [
    NAME,
    ['Type', 'string'],
    text('Cluster-IP', 'Its address inside the cluster.'),
    text('External-IP', 'Its address outside.'),
    text('Port(s)', 'The ports it answers on.'),
    AGE,
    wide('Selector', 'Labels of the pods behind it.'),
  ],
  (service, now): Json[] => [
    nameCell(service),
    textAt(specAt(service), 'type'),
    textAt(specAt(service), 'clusterIP') || '<none>',
    externalAddress(service),
    ports(service),
    ageCell(service, now),
    labelsText(objectAt(specAt(service), 'selector')),
  ],
);

function externalAddress(service: JsonObject): string {
  const spec = specAt(service);
  const given = stringsAt(spec, 'externalIPs');
  if (textAt(spec, 'type') === 'ExternalName') return textAt(spec, 'externalName');
  if (textAt(spec, 'type') !== 'LoadBalancer') return given.length === 0 ? '<none>' : given.join(',');
  const balanced = objectsAt(objectAt(statusAt(service), 'loadBalancer'), 'ingress').map(
    (one) => textAt(one, 'ip') || textAt(one, 'hostname'),
  );
  const all = [...balanced, ...given];
  return all.length === 0 ? '<pending>' : all.join(',');
}

function ports(service: JsonObject): string {
  const list = objectsAt(specAt(service), 'ports').map((port) => {
    const node = numberAt(port, 'nodePort');
    return `${numberAt(port, 'port') ?? 0}${node ? `:${node}` : ''}/${textAt(port, 'protocol')}`;
  });
  return list.length === 0 ? '<none>' : list.join(',');
}

export const nodeTable = tableOf(
  [
    NAME,
    ['Status', 'string'],
    text('Roles', 'What it is for.'),
    AGE,
    text('Version', 'The version of its kubelet.'),
    wide('Internal-IP', 'Its address inside.'),
    wide('External-IP', 'Its address outside.'),
    wide('OS-Image', 'The operating system it runs.'),
    wide('Kernel-Version', 'The kernel it runs.'),
    wide('Container-Runtime', 'What runs its containers.'),
  ],
  (node, now): Json[] => {
    const info = objectAt(statusAt(node), 'nodeInfo');
    return [
      nameCell(node),
      nodeStatus(node),
      nodeRoles(node),
      ageCell(node, now),
      textAt(info, 'kubeletVersion'),
      addressOf(node, 'InternalIP'),
      addressOf(node, 'ExternalIP'),
      textAt(info, 'osImage') || '<unknown>',
      textAt(info, 'kernelVersion') || '<unknown>',
      textAt(info, 'containerRuntimeVersion') || '<unknown>',
    ];
  },
);

function nodeStatus(node: JsonObject): string {
  const ready = objectsAt(statusAt(node), 'conditions').find((one) => one['type'] === 'Ready');
  const word = ready === undefined ? 'Unknown' : ready['status'] === 'True' ? 'Ready' : 'NotReady';
  return specAt(node)['unschedulable'] === true ? `${word},SchedulingDisabled` : word;
}

function nodeRoles(node: JsonObject): string {
  const prefix = 'node-role.kubernetes.io/';
  const roles = Object.entries(objectAt(metadataAt(node), 'labels')).flatMap(([key, value]) => {
    if (key.startsWith(prefix) && key.length > prefix.length) return [key.slice(prefix.length)];
    return key === 'kubernetes.io/role' && typeof value === 'string' && value !== '' ? [value] : [];
  });
  return roles.length === 0 ? '<none>' : [...new Set(roles)].sort().join(',');
}

const addressOf = (node: JsonObject, type: string): string =>
  textAt(
    objectsAt(statusAt(node), 'addresses').find((one) => one['type'] === type),
    'address',
  ) || '<none>';

export const endpointsTable = tableOf([NAME, text('Endpoints', 'Where it leads.'), AGE], (object, now) => [
  nameCell(object),
  some(
    objectsAt(object, 'subsets').flatMap((subset) => {
      const addresses = objectsAt(subset, 'addresses').map((one) => textAt(one, 'ip'));
      const numbers = objectsAt(subset, 'ports').map((port) => numberAt(port, 'port') ?? 0);
      if (numbers.length === 0) return addresses;
      return numbers.flatMap((number) =>
        addresses.map((address) => `${address.includes(':') ? `[${address}]` : address}:${number}`),
      );
    }),
    '<none>',
  ),
  ageCell(object, now),
]);

export const endpointSliceTable = tableOf(
  [
    NAME,
    text('AddressType', 'The family of its addresses.'),
    text('Ports', 'Ports of every endpoint.'),
    text('Endpoints', 'Addresses.'),
    AGE,
  ],
  (slice, now) => [
    nameCell(slice),
    textAt(slice, 'addressType'),
    some(
      objectsAt(slice, 'ports').map((port) => (numberAt(port, 'port') === undefined ? '*' : String(port['port']))),
      '<unset>',
    ),
    some(
      objectsAt(slice, 'endpoints').flatMap((one) => stringsAt(one, 'addresses')),
      '<unset>',
    ),
    ageCell(slice, now),
  ],
);

/** The first three of a list, and how many more. */
function some(list: readonly string[], none: string): string {
  if (list.length === 0) return none;
  return list.length <= 3 ? list.join(',') : `${list.slice(0, 3).join(',')} + ${list.length - 3} more...`;
}

export const eventTable = tableOf(
  [
    text('Last Seen', 'How long ago it last happened.'),
    ['Type', 'string'],
    text('Reason', 'Why it was told, in one word.'),
    text('Object', 'What it is about.'),
    wide('Subobject', 'Which part of it.'),
    wide('Source', 'Who told it.'),
    text('Message', 'What happened.'),
    wide('First Seen', 'How long ago it first happened.'),
    wide('Count', 'How often it happened.'),
    ['Name', 'string', { format: 'name', priority: 1 }],
  ],
  (event, now): Json[] => {
    const series = objectAt(event, 'series');
    const first = textAt(event, 'firstTimestamp') || textAt(event, 'eventTime');
    const last = textAt(series, 'lastObservedTime') || textAt(event, 'lastTimestamp') || first;
    const count = numberAt(series, 'count') ?? numberAt(event, 'count') ?? 0;
    const about = objectAt(event, 'involvedObject');
    const source = objectAt(event, 'source');
    const name = textAt(about, 'name');
    return [
      last === '' ? '<unknown>' : age(last, now),
      textAt(event, 'type'),
      textAt(event, 'reason'),
      name === '' ? textAt(about, 'kind').toLowerCase() : `${textAt(about, 'kind').toLowerCase()}/${name}`,
      textAt(about, 'fieldPath'),
      [
        textAt(source, 'component') || textAt(event, 'reportingComponent'),
        textAt(source, 'host') || textAt(event, 'reportingInstance'),
      ]
        .filter((part) => part !== '')
        .join(', '),
      textAt(event, 'message').trim(),
      first === '' ? '<unknown>' : age(first, now),
      count === 0 ? 1 : count,
      nameCell(event),
    ];
  },
);

export const resourceQuotaTable = tableOf(
  [NAME, text('Request', 'Requests in use, of those allowed.'), text('Limit', 'Limits in use, of those allowed.'), AGE],
  (quota, now) => {
    const [hard, used] = [objectAt(statusAt(quota), 'hard'), objectAt(statusAt(quota), 'used')];
    const shown = (isLimit: boolean) =>
      Object.keys(hard)
        .filter((name) => name.startsWith('limits') === isLimit)
        .sort()
        .map((name) => `${name}: ${String(used[name] ?? '0')}/${String(hard[name])}`)
        .join(', ');
    return [nameCell(quota), shown(false), shown(true), ageCell(quota, now)];
  },
);

export const leaseTable = tableOf([NAME, text('Holder', 'Who holds it.'), AGE], (lease, now) => [
  nameCell(lease),
  textAt(specAt(lease), 'holderIdentity'),
  ageCell(lease, now),
]);

export const componentStatusTable = tableOf(
  [NAME, ['Status', 'string'], text('Message'), text('Error')],
  (component) => [nameCell(component), 'Unknown', '', ''],
);
