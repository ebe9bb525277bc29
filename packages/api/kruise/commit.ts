import type { ObjectOf } from '@sandbank/kube';
import { defaulted, duration, integer, list, map, object, oneOf, optional, text, time } from '../schema/fields.ts';
import { ageColumn, column, defineKind } from '../schema/kind.ts';
import { conditions } from '../schema/kubernetes.ts';
import { commitPhases } from './constants.ts';
import { group } from './group.ts';

const immutable = (field: string) => ({
  rules: [{ rule: 'self == oldSelf', message: `${field} is immutable` }],
});

// kruise 1.7
const spec = object({
  podName: text(immutable('podName')),
  containerName: text(immutable('containerName')),
  image: text({ ...immutable('image'), description: 'Where the image is pushed to.' }),
  squashLayer: defaulted(integer({ ...immutable('squashLayer'), description: 'Reserved.' }), 0),
  timeoutSeconds: defaulted(integer({ ...immutable('timeoutSeconds'), description: '0 sets no limit.' }), 0),
  ttl: optional(duration({ description: 'How long the object stays after it finished.' })),
  registryAuth: optional(
    object({
      secrets: optional(list(text(), { description: 'Secrets of the same namespace to push with.' })),
      credentials: optional(map(text(), { description: 'Reserved.' })),
    }),
  ),
});

const status = object({
  phase: defaulted(oneOf(commitPhases), 'Pending'),
  commitID: optional(text()),
  conditions: optional(conditions()),
  startTime: optional(time()),
  completionTime: optional(time()),
});

/** kruise 1.7: the file system of a container, pushed as an image. */
export const Commit = defineKind({
  ...group,
  kind: 'Commit',
  plural: 'commits',
  shortNames: ['cmt'],
  description: 'Pushes the file system of a running container as an image.',
  columns: [column('Phase', '.status.phase', 'string'), column('TTL', '.spec.ttl', 'string'), ageColumn()],
  spec,
  status,
  statusDefault: { phase: 'Pending' },
});
export type Commit = ObjectOf<typeof Commit>;
