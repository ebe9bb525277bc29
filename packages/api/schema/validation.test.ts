import { describe, expect, test } from 'vitest';
import { Pool } from '../opensandbox/index.ts';
import { badObjects, objectOf, oddObjects } from '../testing/bad-objects.ts';
import { validate } from './validation.ts';

describe('validate', () => {
  test.each(badObjects.filter(({ byRule }) => !byRule).map((bad) => [`${bad.kind.kind}: ${bad.title}`, bad] as const))(
    'names the field of %s',
    (_, { kind, spec, field }) => {
      const problems = validate(kind, objectOf(kind, 'bad', spec) as never);
      expect(problems.map((problem) => problem.field)).toContain(field);
    },
  );

  test.each(badObjects.filter(({ byRule }) => byRule).map((bad) => [`${bad.kind.kind}: ${bad.title}`, bad] as const))(
    'leaves to the API server %s',
    (_, { kind, spec }) => {
      expect(validate(kind, objectOf(kind, 'bad', spec) as never)).toEqual([]);
    },
  );

  test.each(oddObjects.map((odd) => [`${odd.kind.kind}: ${odd.title}`, odd] as const))(
    'takes what the originals take: %s',
    (_, { kind, spec }) => {
      expect(validate(kind, objectOf(kind, 'odd', spec) as never)).toEqual([]);
    },
  );

  test('says in words what is wrong, once each', () => {
    const spec = { capacitySpec: { bufferMin: 1, bufferMax: -1, poolMin: 'one' }, recycleStrategy: { type: 'Reuse' } };
    expect(validate(Pool, objectOf(Pool, 'bad', spec) as never)).toEqual([
      { field: 'spec.capacitySpec.poolMax', message: 'is required' },
      { field: 'spec.capacitySpec.bufferMax', message: 'must be >= 0' },
      { field: 'spec.capacitySpec.poolMin', message: 'must be integer' },
      { field: 'spec.recycleStrategy.type', message: 'must be one of Delete, Restart, Noop' },
    ]);
  });
});
