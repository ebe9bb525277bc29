/** ControllerRevision and PodTemplate. */
import type { Strategy } from '../../registry/resource.ts';
import { required, unchanged } from '../field-errors.ts';
import { objectAt } from '../fields.ts';
import { defaultTemplateOf, validateTemplate } from './template.ts';

export const controllerRevisionStrategy: Strategy = {
  validateCreate: (revision) => (revision['data'] === undefined ? [required('data', 'data is mandatory')] : []),
  validateUpdate: (revision, old) => unchanged('data', revision['data'], old['data']),
};

export const podTemplateStrategy: Strategy = {
  applyDefaults: defaultTemplateOf,
  validateCreate: (template) => validateTemplate(objectAt(template, 'template'), 'template'),
  validateUpdate: (template) => validateTemplate(objectAt(template, 'template'), 'template'),
};
