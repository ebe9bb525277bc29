import type { Json, JsonObject } from '../../schema/structural.ts';
import { AGE, ageCell, type ColumnInput, NAME, nameCell, tableOf, wide } from '../columns.ts';
import { maybeObject, numberAt, objectAt, objectsAt, specAt, statusAt, stringsAt, textAt } from '../fields.ts';
import { selectorText } from '../selectors.ts';

const text = (name: string, says?: string): ColumnInput => [name, 'string', says === undefined ? {} : { says }];
const lengthTable = (name: string, says: string, field: (object: JsonObject) => readonly unknown[]) =>
  tableOf([NAME, [name, 'integer', { says }], AGE], (object, now) => [
    nameCell(object),
    field(object).length,
    ageCell(object, now),
  ]);

export const webhookTable = lengthTable('Webhooks', 'How many webhooks it names.', (object) =>
  objectsAt(object, 'webhooks'),
);

const kindOfParameters = (object: JsonObject): string => {
  const kind = maybeObject(specAt(object), 'paramKind');
  return kind ? `${textAt(kind, 'apiVersion')}/${textAt(kind, 'kind')}` : '<unset>';
};
const admissionPolicyTable = (name: string, field: string) =>
  tableOf(
    [NAME, [name, 'integer', { says: 'How many it has.' }], text('ParamKind', 'The kind of its parameters.'), AGE],
    (object, now) => [
      nameCell(object),
      objectsAt(specAt(object), field).length,
      kindOfParameters(object),
      ageCell(object, now),
    ],
  );
export const validatingPolicyTable = admissionPolicyTable('Validations', 'validations');
export const mutatingPolicyTable = admissionPolicyTable('Mutations', 'mutations');
export const policyBindingTable = tableOf(
  [NAME, text('PolicyName', 'The policy it binds.'), text('ParamRef', 'The parameters it gives.'), AGE],
  (object, now) => {
    const reference = maybeObject(specAt(object), 'paramRef');
    const place = textAt(reference, 'namespace');
    const shown = reference ? `${place === '' ? '*' : place}/${textAt(reference, 'name') || '*'}` : '<unset>';
    return [nameCell(object), textAt(specAt(object), 'policyName'), shown, ageCell(object, now)];
  },
);

export const bindingTable = tableOf(
  [
    NAME,
    text('Role', 'The role that is given.'),
    AGE,
    wide('Users', 'To these users.'),
    wide('Groups', 'To these groups.'),
    wide('ServiceAccounts', 'To these service accounts.'),
  ],
  (binding, now): Json[] => {
    const role = objectAt(binding, 'roleRef');
    const subjects = objectsAt(binding, 'subjects');
    const of = (kind: string) => subjects.filter((one) => one['kind'] === kind);
    return [
      nameCell(binding),
      `${textAt(role, 'kind')}/${textAt(role, 'name')}`,
      ageCell(binding, now),
      of('User')
        .map((one) => textAt(one, 'name'))
        .join(', '),
      of('Group')
        .map((one) => textAt(one, 'name'))
        .join(', '),
      of('ServiceAccount')
        .map((one) => `${textAt(one, 'namespace')}/${textAt(one, 'name')}`)
        .join(', '),
    ];
  },
);

export const disruptionBudgetTable = tableOf(
  [
    NAME,
    text('Min Available', 'Pods that must stay.'),
    text('Max Unavailable', 'Pods that may be missing.'),
    ['Allowed Disruptions', 'integer', { says: 'Pods that may be evicted now.' }],
    AGE,
  ],
  (budget, now) => {
    const spec = specAt(budget);
    const shown = (field: string) => (spec[field] === undefined ? 'N/A' : String(spec[field]));
    return [
      nameCell(budget),
      shown('minAvailable'),
      shown('maxUnavailable'),
      numberAt(statusAt(budget), 'disruptionsAllowed') ?? 0,
      ageCell(budget, now),
    ];
  },
);

export const priorityClassTable = tableOf(
  [
    NAME,
    ['Value', 'integer', { says: 'The priority it gives.' }],
    ['Global-Default', 'boolean', { says: 'Whether pods without a class get it.' }],
    AGE,
    text('PreemptionPolicy', 'Whether its pods may push others away.'),
  ],
  (priority, now) => [
    nameCell(priority),
    numberAt(priority, 'value') ?? 0,
    priority['globalDefault'] === true,
    ageCell(priority, now),
    textAt(priority, 'preemptionPolicy'),
  ],
);

export const runtimeClassTable = tableOf([NAME, text('Handler', 'The runtime that is meant.'), AGE], (runtime, now) => [
  nameCell(runtime),
  textAt(runtime, 'handler'),
  ageCell(runtime, now),
]);

export const networkPolicyTable = tableOf([NAME, text('Pod-Selector', 'The pods it is for.'), AGE], (policy, now) => [
  nameCell(policy),
  selectorText(maybeObject(specAt(policy), 'podSelector')),
  ageCell(policy, now),
]);

export const ingressTable = tableOf(
  [
    NAME,
    text('Class', 'Who serves it.'),
    text('Hosts', 'The hosts it is for.'),
    text('Address', 'Where it is served.'),
    text('Ports', 'The ports it is served on.'),
    AGE,
  ],
  (ingress, now) => {
    const hosts = objectsAt(specAt(ingress), 'rules')
      .map((rule) => textAt(rule, 'host'))
      .filter((host) => host !== '');
    const shown = hosts.length <= 3 ? hosts.join(',') : `${hosts.slice(0, 3).join(',')} + ${hosts.length - 3} more...`;
    return [
      nameCell(ingress),
      textAt(specAt(ingress), 'ingressClassName') || '<none>',
      shown || '*',
      objectsAt(objectAt(statusAt(ingress), 'loadBalancer'), 'ingress')
        .map((one) => textAt(one, 'ip') || textAt(one, 'hostname'))
        .join(','),
      objectsAt(specAt(ingress), 'tls').length > 0 ? '80, 443' : '80',
      ageCell(ingress, now),
    ];
  },
);

export const ingressClassTable = tableOf(
  [NAME, text('Controller', 'Who serves it.'), text('Parameters', 'What it is given.'), AGE],
  (object, now) => {
    const given = maybeObject(specAt(object), 'parameters');
    const group = textAt(given, 'apiGroup');
    const shown = given
      ? `${textAt(given, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(given, 'name')}`
      : '<none>';
    return [nameCell(object), textAt(specAt(object), 'controller'), shown, ageCell(object, now)];
  },
);

export const ipAddressTable = tableOf([NAME, text('ParentRef', 'Who has it.')], (object, now) => {
  const parent = objectAt(specAt(object), 'parentRef');
  const group = textAt(parent, 'group');
  const resource = group === '' ? textAt(parent, 'resource') : `${textAt(parent, 'resource')}.${group}`;
  const shown = [resource, textAt(parent, 'namespace'), textAt(parent, 'name')].filter((part) => part !== '').join('/');
  return [nameCell(object), shown, ageCell(object, now)];
});

export const serviceCidrTable = tableOf([NAME, text('CIDRs', 'The ranges.'), AGE], (object, now) => [
  nameCell(object),
  stringsAt(specAt(object), 'cidrs').join(','),
  ageCell(object, now),
]);

export const apiServiceTable = tableOf(
  [NAME, text('Service', 'Who serves it.'), text('Available', 'Whether it is served.'), AGE],
  (object, now) => {
    const service = maybeObject(specAt(object), 'service');
    const available = objectsAt(statusAt(object), 'conditions').find((one) => one['type'] === 'Available');
    return [
      nameCell(object),
      service ? `${textAt(service, 'namespace')}/${textAt(service, 'name')}` : 'Local',
      textAt(available, 'status') || 'Unknown',
      ageCell(object, now),
    ];
  },
);
