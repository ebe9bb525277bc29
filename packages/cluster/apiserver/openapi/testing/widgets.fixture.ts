/** A custom kind with every form of schema, as a CRD for the real server and as a Resource for ours. */
import { resourcesOfCrd } from '../../crd/resources.ts';
import type { Resource } from '../../registry/resource.ts';
import type { Json, JsonObject, Structural } from '../../schema/structural.ts';

export const GROUP = 'openapi.example.com';
export const CRD_NAME = `widgets.${GROUP}`;

const v1: Structural = {
  type: 'object',
  description: 'A widget.',
  required: ['spec'],
  properties: {
    metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 20 } } },
    spec: {
      type: 'object',
      description: 'What is wanted.',
      required: ['size'],
      'x-kubernetes-validations': [{ rule: 'self.size > 0', message: 'must be positive' }],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
        ratio: { type: 'number', exclusiveMinimum: true, minimum: 0.5, multipleOf: 0.25 },
        replicas: { type: 'integer', format: 'int32' },
        port: { 'x-kubernetes-int-or-string': true },
        otherPort: {
          'x-kubernetes-int-or-string': true,
          anyOf: [{ type: 'integer' }, { type: 'string' }],
          nullable: true,
        },
        note: { type: 'string', nullable: true, enum: ['a', 'b'], minLength: 1 },
        flags: { type: 'array', items: { type: 'boolean' }, nullable: true },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'string' } },
        },
        template: {
          type: 'object',
          'x-kubernetes-embedded-resource': true,
          'x-kubernetes-preserve-unknown-fields': true,
        },
        labels: { type: 'object', additionalProperties: { type: 'string', maxLength: 5 }, maxProperties: 4 },
        names: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set', maxItems: 3 },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: { type: 'string', pattern: '^a' },
              value: {
                type: 'object',
                'x-kubernetes-map-type': 'atomic',
                properties: { x: { type: 'string', default: 'y' } },
                oneOf: [{ required: ['x'] }, { not: { required: ['x'] } }],
              },
            },
          },
        },
      },
    },
    status: { type: 'object', properties: { replicas: { type: 'integer' } } },
  },
};
const v1beta1: Structural = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

const names = {
  plural: 'widgets',
  singular: 'widget',
  kind: 'Widget',
  shortNames: ['wd'],
  categories: ['all', 'toys'],
};
const json = (schema: Structural) => schema as unknown as Json;

export const widgetCrd: JsonObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: CRD_NAME },
  spec: {
    group: GROUP,
    scope: 'Namespaced',
    names,
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        schema: { openAPIV3Schema: json(v1) },
      },
      { name: 'v1beta1', served: true, storage: false, schema: { openAPIV3Schema: json(v1beta1) } },
    ],
  },
};

export const widgets: readonly Resource[] = resourcesOfCrd(widgetCrd);
