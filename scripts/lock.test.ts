import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { complete, type LockFile, platformOf } from './lock.ts';

test.each([
  ['@biomejs/cli-darwin-arm64', { cpu: ['arm64'], os: ['darwin'] }],
  ['@x/binding-linux-x64-musl', { cpu: ['x64'], libc: ['musl'], os: ['linux'] }],
  ['@x/binding-linux-arm-gnueabihf', { cpu: ['arm'], libc: ['glibc'], os: ['linux'] }],
  ['@x/binding-wasm32-wasi', { cpu: ['wasm32'] }],
  ['fsevents', undefined],
])('%s', (name, want) => expect(platformOf(name)).toEqual(want));

test('what a parent names and the registry lacked is added once', () => {
  const lock: LockFile = {
    packages: {
      'node_modules/tool': { version: '1.0.0', dev: true, optionalDependencies: { 'tool-darwin-x64': '1.0.0' } },
    },
  };
  expect(complete(lock)).toEqual(['tool-darwin-x64']);
  expect(lock.packages['node_modules/tool-darwin-x64']).toEqual({
    version: '1.0.0',
    dev: true,
    cpu: ['x64'],
    os: ['darwin'],
    optional: true,
  });
  expect(complete(lock)).toEqual([]);
});

test('the committed lock file is complete and names no host', () => {
  const text = readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8');
  expect(complete(JSON.parse(text) as LockFile)).toEqual([]);
  expect(text).not.toMatch(/"resolved": "https?:/);
});
