import { expect, test } from 'vitest';
import { proxyFromEnv } from './proxy-env.ts';

test.each([
  ['https://api.example', { HTTPS_PROXY: 'http://p:1' }, 'http://p:1'],
  ['https://api.example', { https_proxy: 'p:1' }, 'http://p:1'],
  ['http://api.example', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['http://api.example', { HTTP_PROXY: 'http://p:1' }, 'http://p:1'],
  ['https://127.0.0.1:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://localhost:6443', { HTTPS_PROXY: 'http://p:1' }, undefined],
  ['https://api.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '*' }, undefined],
  ['https://api.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'foo, .example' }, undefined],
  ['https://api.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'example' }, undefined],
  ['https://api.example', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'ample' }, 'http://p:1'],
  ['https://api.example:6443', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'api.example:443' }, 'http://p:1'],
  ['https://10.1.2.3', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8' }, undefined],
  ['https://11.1.2.3', { HTTPS_PROXY: 'http://p:1', NO_PROXY: '10.0.0.0/8,bad/range' }, 'http://p:1'],
  ['https://[fd00::5]', { HTTPS_PROXY: 'http://p:1', NO_PROXY: 'fd00::/16' }, undefined],
])('%s with %o goes through %s', (server, env, proxy) => {
  expect(proxyFromEnv(new URL(server), env)).toBe(proxy);
});
