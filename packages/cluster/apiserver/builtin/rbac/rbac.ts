import type { Strategy } from '../../registry/resource.ts';
import type { FieldError, JsonObject } from '../../schema/structural.ts';
import { invalidValue, notSupported, required, sameJson } from '../field-errors.ts';
import { fillText, objectAt, objectsAt, stringsAt, textAt } from '../fields.ts';

const GROUP = 'rbac.authorization.k8s.io';
const SUBJECT_KINDS = ['ServiceAccount', 'User', 'Group'];

export const roleStrategy = roles(true);
export const clusterRoleStrategy = roles(false);

function roles(namespaced: boolean): Strategy {
  const validate = (role: JsonObject): FieldError[] =>
    objectsAt(role, 'rules').flatMap((rule, index) => validateRule(rule, `rules[${index}]`, namespaced));
  return {
    // The one list that is served as null when it is empty.
    applyDefaults(role) {
      if (role['rules'] === undefined) role['rules'] = null;
    },
    validateCreate: validate,
    validateUpdate: validate,
  };
}

function validateRule(rule: JsonObject, at: string, namespaced: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (stringsAt(rule, 'verbs').length === 0)
    errors.push(required(`${at}.verbs`, 'verbs must contain at least one value'));
  const [groups, resources, urls] = ['apiGroups', 'resources', 'nonResourceURLs'].map((field) =>
    stringsAt(rule, field),
  ) as [string[], string[], string[]];
  if (urls.length > 0) {
    if (namespaced)
      errors.push(invalidValue(`${at}.nonResourceURLs`, urls, 'namespaced rules cannot apply to non-resource URLs'));
    if (groups.length > 0 || resources.length > 0)
      errors.push(
        invalidValue(
          `${at}.nonResourceURLs`,
          urls,
          'rules cannot apply to both regular resources and non-resource URLs',
        ),
      );
    return errors;
  }
  if (groups.length === 0)
    errors.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(`${at}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

export const roleBindingStrategy = bindings(['Role', 'ClusterRole']);
export const clusterRoleBindingStrategy = bindings(['ClusterRole']);

function bindings(kinds: readonly string[]): Strategy {
  const validate = (binding: JsonObject): FieldError[] => {
    const role = objectAt(binding, 'roleRef');
    const [group, kind] = [textAt(role, 'apiGroup'), textAt(role, 'kind')];
    return [
      ...(group === GROUP ? [] : [notSupported('roleRef.apiGroup', group, [GROUP])]),
      ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
      ...(textAt(role, 'name') === '' ? [required('roleRef.name')] : []),
      ...objectsAt(binding, 'subjects').flatMap((subject, index) =>
        validateSubject(subject, `subjects[${index}]`, kinds.length === 1),
      ),
    ];
  };
  return {
    applyDefaults(binding) {
      const role = objectAt(binding, 'roleRef');
      if (Object.keys(role).length > 0) fillText(role, 'apiGroup', GROUP);
      for (const subject of objectsAt(binding, 'subjects')) {
        if (subject['kind'] === 'User' || subject['kind'] === 'Group') fillText(subject, 'apiGroup', GROUP);
        if (subject['apiGroup'] === '') delete subject['apiGroup'];
      }
    },
    validateCreate: validate,
    validateUpdate(binding, old) {
      const role = objectAt(binding, 'roleRef');
      const shown = { APIGroup: role['apiGroup'] ?? '', Kind: role['kind'] ?? '', Name: role['name'] ?? '' };
      return [
        ...validate(binding),
        ...(sameJson(role, objectAt(old, 'roleRef')) ? [] : [invalidValue('roleRef', shown, 'cannot change roleRef')]),
      ];
    },
  };
}

function validateSubject(subject: JsonObject, at: string, isClusterWide: boolean): FieldError[] {
  const [kind, name, group] = [textAt(subject, 'kind'), textAt(subject, 'name'), textAt(subject, 'apiGroup')];
  if (name === '') return [required(`${at}.name`)];
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(`${at}.kind`, kind, SUBJECT_KINDS)];
  const wanted = kind === 'ServiceAccount' ? '' : GROUP;
  const errors = group === wanted ? [] : [notSupported(`${at}.apiGroup`, group, [wanted])];
  if (kind === 'ServiceAccount' && isClusterWide && textAt(subject, 'namespace') === '')
    errors.push(required(`${at}.namespace`));
  return errors;
}
