import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../http/api-error.ts';
import { bytesField, varint } from '../gnostic/writer.ts';
import { decodeProtobuf } from './decode.ts';

const text = (number: number, value: string) => Buffer.concat(bytesField(number, Buffer.from(value)));
const inside = (number: number, ...parts: Buffer[]) => Buffer.concat(bytesField(number, Buffer.concat(parts)));
const count = (number: number, value: number) => Buffer.concat([varint(number * 8), varint(value)]);

function body(apiVersion: string, kind: string, ...parts: Buffer[]): Buffer {
  return Buffer.concat([Buffer.from('k8s\0'), inside(1, text(1, apiVersion), text(2, kind)), inside(2, ...parts)]);
}

describe('what Go clients send', () => {
  test('delete options, under the group of the object', () => {
    const options = [count(1, 0), inside(2, text(1, 'the-uid')), text(4, 'Background'), text(5, 'All')];
    for (const apiVersion of ['v1', 'apps/v1', 'example.com/v1', 'meta.k8s.io/v1'])
      expect(decodeProtobuf(body(apiVersion, 'DeleteOptions', ...options))).toEqual({
        kind: 'DeleteOptions',
        apiVersion,
        gracePeriodSeconds: 0,
        preconditions: { uid: 'the-uid' },
        propagationPolicy: 'Background',
        dryRun: ['All'],
      });
  });

  test('zeros show where Go shows them: pointers that were sent, and fields without omitempty', () => {
    const spec = inside(2, count(1, 0), inside(3, inside(2, inside(2, text(1, ''), text(2, '')))));
    const decoded = decodeProtobuf(body('apps/v1', 'Deployment', inside(1, text(1, 'web'), text(3, '')), spec));
    expect(decoded).toEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      metadata: { name: 'web' },
      spec: {
        replicas: 0,
        selector: null,
        strategy: {},
        template: { metadata: {}, spec: { containers: [{ name: '', resources: {} }] } },
      },
      status: {},
    });
  });

  test('fields of a newer client are passed over', () => {
    const decoded = decodeProtobuf(body('v1', 'ConfigMap', inside(1, text(1, 'x'), text(900, 'new')), count(901, 7)));
    expect(decoded).toEqual({ kind: 'ConfigMap', apiVersion: 'v1', metadata: { name: 'x' } });
  });

  test('a body that does not name its kind is of the kind that is expected', () => {
    const bare = Buffer.concat([Buffer.from('k8s\0'), inside(2, inside(1, text(1, 'x')))]);
    expect(decodeProtobuf(bare, { apiVersion: 'v1', kind: 'Secret' })).toMatchObject({
      kind: 'Secret',
      apiVersion: 'v1',
    });
    expect(() => decodeProtobuf(bare)).toThrow(/'Kind' is missing/);
  });
});

describe('what nobody should send', () => {
  test('names of objects that every object has are no kinds and no versions', () => {
    for (const name of ['__proto__', 'constructor', 'toString']) {
      expect(() => decodeProtobuf(body('v1', name))).toThrow(/no kind/);
      expect(() => decodeProtobuf(body(name, 'Pod'))).toThrow(/no kind/);
    }
  });

  test('a key named __proto__ is a key', () => {
    const entry = inside(2, text(1, '__proto__'), text(2, 'x'));
    const { data } = decodeProtobuf(body('v1', 'ConfigMap', entry));
    expect(Object.entries(data ?? {})).toEqual([['__proto__', 'x']]);
  });

  test('schemas inside schemas without end', () => {
    let schema = text(5, 'object');
    for (let depth = 0; depth < 5000; depth++) schema = inside(28, schema);
    const version = inside(7, text(1, 'v1'), inside(4, inside(1, schema)));
    const crd = body('apiextensions.k8s.io/v1', 'CustomResourceDefinition', inside(2, version));
    expect(() => decodeProtobuf(crd)).toThrow(/nested deeper/);
  });

  test('any bytes at all give an object or a 400, and nothing else', () => {
    const prefix = Buffer.from('k8s\0');
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.boolean(), (noise, isInside) => {
        const bytes = Buffer.from(noise);
        const sent = isInside ? body('v1', 'Pod', bytes) : Buffer.concat([prefix, bytes]);
        try {
          expect(decodeProtobuf(sent, { apiVersion: 'v1', kind: 'Pod' })).toBeTypeOf('object');
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError);
          expect((error as ApiError).code).toBe(400);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
