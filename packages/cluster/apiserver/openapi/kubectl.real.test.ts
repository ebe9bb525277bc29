/** The real kubectl on our documents alone: all that it asks for here is discovery and OpenAPI. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import { builtinResources } from '../builtin/resources.ts';
import { ApiError } from '../http/api-error.ts';
import { type ApiResponse, jsonResponse } from '../http/exchange.ts';
import { Registry } from '../registry/registry.ts';
import { documentPaths } from './paths.ts';
import { get } from './testing/requests.fixture.ts';
import { widgets } from './testing/widgets.fixture.ts';

const api = realApiServer();
const run = promisify(execFile);

describe.skipIf(api === null)('kubectl', () => {
  const registry = new Registry();
  registry.replace([...builtinResources(), ...widgets]);
  const paths = documentPaths(registry, () => new Date());
  let server: Server;
  let home: string;

  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'kubectl-'));
    server = createServer(async (request, response) => {
      const { status, headers, body } = await respond(request.url ?? '/', request.headers as Record<string, string>);
      response.writeHead(status, headers as Record<string, string>).end(body);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await new Promise((resolve) => server.close(resolve));
    await rm(home, { recursive: true });
  });

  async function respond(url: string, headers: Record<string, string>): Promise<ApiResponse> {
    try {
      for (const path of paths) {
        const response = await path(get(url, headers));
        if (response) return response;
      }
      return jsonResponse(404, { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason: 'NotFound', code: 404 });
    } catch (error) {
      if (error instanceof ApiError) return jsonResponse(error.code, error.toStatus());
      throw error;
    }
  }

  const ours = () => ['--server', `http://127.0.0.1:${(server.address() as AddressInfo).port}`];
  const real = () => ['--kubeconfig', api?.kubeconfig ?? ''];
  async function kubectl(target: string[], ...rest: string[]): Promise<string> {
    const environment = { ...process.env, HOME: home, KUBECONFIG: '/dev/null' };
    const { stdout } = await run(join(api?.binDir ?? '', 'kubectl'), [...target, ...rest], { env: environment });
    return stdout;
  }

  /** Names and types of fields; the texts between them are the real server's own. */
  const fields = (explained: string) =>
    explained.split('\n').filter((line) => /^(KIND|VERSION|GROUP|FIELD|\s+\S+\t<)/.test(line));

  test.each([
    ['pods', '--recursive'],
    ['pods.spec.containers.livenessProbe.httpGet'],
    ['deployments.spec.strategy.rollingUpdate.maxSurge'],
    ['jobs', '--recursive'],
    ['customresourcedefinitions.spec.versions.schema'],
    ['nodes.status.capacity'],
    ['horizontalpodautoscalers', '--api-version=autoscaling/v1', '--recursive'],
  ])('explain %s %s', async (...wanted) => {
    const line = wanted.filter((one) => one !== undefined);
    const explained = fields(await kubectl(ours(), 'explain', ...line));
    expect(explained.length).toBeGreaterThan(2);
    expect(explained).toEqual(fields(await kubectl(real(), 'explain', ...line)));
  });

  test('explain of a custom kind, with its own words', async () => {
    const explained = await kubectl(ours(), 'explain', 'widgets.spec');
    expect(explained).toContain('What is wanted.');
    expect(fields(explained).join('\n')).toMatch(/size\t<integer> -required-/);
    expect(await kubectl(ours(), 'explain', 'wd.metadata.managedFields')).toContain('fieldsV1');
  });

  test('api-resources', async () => {
    const lines = (text: string) =>
      text
        .split('\n')
        .map((line) => line.trimEnd())
        .filter((line) => line !== '');
    const mine = lines(await kubectl(ours(), 'api-resources', '--no-headers', '-o', 'wide'));
    const theirs = lines(await kubectl(real(), 'api-resources', '--no-headers', '-o', 'wide'));
    const isShared = (line: string) =>
      !/example\.com|certificates\.k8s\.io|resource\.k8s\.io|flowcontrol|apiservices/.test(line);
    const plain = (line: string) => line.replace(/\s+/g, ' ');
    expect(mine.filter(isShared).map(plain)).toEqual(theirs.filter(isShared).map(plain));
    expect(mine.join('\n')).toMatch(/widgets\s+wd\s+openapi.example.com\/v1\s+true\s+Widget/);
  });

  test('version, without a word about skew', async () => {
    expect(await kubectl(ours(), 'version')).toMatch(/Server Version: v1\.\d+\.\d+\+sandbank/);
  });
});
