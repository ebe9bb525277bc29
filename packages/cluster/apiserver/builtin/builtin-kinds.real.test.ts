/** What our server and the real one make of the same objects: defaults, refusals, tables. */
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { realApiServer } from '../../../../test/control-plane/suite.ts';
import type { Json, JsonObject } from '../schema/structural.ts';
import type { Case } from './testing/case.fixture.ts';
import { kindCases } from './testing/kind-cases.fixture.ts';
import { NAMESPACE, type OurServer, type Outcome, ourServer } from './testing/ours.fixture.ts';
import { podCases } from './testing/pod-cases.fixture.ts';

const api = realApiServer();
const agent = new Agent({ connect: { ca: api?.ca ?? '' } });

async function call(
  method: string,
  path: string,
  body?: unknown,
  type = 'application/json',
  accept = 'application/json',
): Promise<[number, JsonObject]> {
  const answer = await request(`${api?.url}${path}`, {
    method: method as 'POST',
    dispatcher: agent,
    body: body === undefined ? null : JSON.stringify(body),
    headers: { 'content-type': type, authorization: `Bearer ${api?.token}`, accept },
  });
  return [answer.statusCode, (await answer.body.json()) as JsonObject];
}

describe.skipIf(api === null)('built-in kinds, here and on the real server', () => {
  let ours: OurServer;
  beforeAll(async () => {
    ours = await ourServer();
    await call('POST', '/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await vi.waitFor(
      async () => {
        const [code] = await call('GET', `/api/v1/namespaces/${NAMESPACE}/serviceaccounts/default`);
        expect(code).toBe(200);
      },
      { timeout: 30_000, interval: 100 },
    );
  });
  afterAll(async () => {
    await call('DELETE', `/api/v1/namespaces/${NAMESPACE}`);
    await agent.close();
  });

  function pathOf(one: Case): string {
    const parts = one.of.split('/');
    const plural = parts.pop();
    const root = parts.length === 1 ? '/api/v1' : `/apis/${parts.join('/')}`;
    return `${root}${ours.resource(one.of).namespaced ? `/namespaces/${NAMESPACE}` : ''}/${plural}`;
  }

  async function theirs(one: Case): Promise<Outcome> {
    const path = pathOf(one);
    const outcome = ([code, body]: [number, JsonObject]): Outcome =>
      code >= 300 ? { status: body } : { object: body };
    if (!one.patch) return outcome(await call('POST', `${path}?dryRun=All&fieldValidation=Ignore`, one.object));
    // A name of its own: what is deleted may take its time to go.
    const name = `x${Math.random().toString(36).slice(2, 10)}`;
    const [code, created] = await call('POST', path, {
      ...one.object,
      metadata: { ...(one.object['metadata'] as JsonObject), name },
    });
    expect(code, JSON.stringify(created)).toBe(201);
    const changed = await call(
      'PATCH',
      `${path}/${name}${one.subresource ? `/${one.subresource}` : ''}`,
      one.patch,
      'application/merge-patch+json',
    );
    await call('DELETE', `${path}/${name}?gracePeriodSeconds=0&propagationPolicy=Background`);
    return JSON.parse(JSON.stringify(outcome(changed)).replaceAll(name, 'x')) as Outcome;
  }

  test.each([...podCases, ...kindCases].map((one) => [one.name, one] as const))('%s', async (_, one) => {
    const [mine, real] = [await ours.run(one), await theirs(one)];
    expect(comparable(mine)).toEqual(comparable(real));
  });
});

const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Without what each server chooses for itself: ids, times, addresses, generated names; and without the diff below a refusal. */
function comparable(outcome: Outcome): Json {
  const text = JSON.stringify(outcome)
    .replaceAll(UID, 'UID')
    .replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-xxxxx')
    .replaceAll(/"10\.96\.\d+\.\d+"/g, '"10.96.0.0"')
    .replaceAll(/"last(Transition|PhaseTransition)Time":"[^"]*"/g, '"last$1Time":"TIME"');
  const value = JSON.parse(text) as { object?: JsonObject; status?: JsonObject };
  if (value.object) {
    const {
      managedFields: _,
      creationTimestamp: _at,
      resourceVersion: _version,
      ...metadata
    } = value.object['metadata'] as JsonObject;
    // A controller of the real server may have seen a job by then.
    if (value.object['kind'] === 'Job') value.object['status'] = {};
    return { ...value.object, metadata };
  }
  const { message, reason, code, details } = value.status ?? {};
  const causes = ((details as JsonObject | undefined)?.['causes'] ?? []) as JsonObject[];
  return {
    message: firstLine(String(message)),
    reason: reason ?? null,
    code: code ?? null,
    causes: causes.map((cause) => ({ ...cause, message: firstLine(String(cause['message'])) })),
  };
}

/** Templates are printed by internal names; and a refused pod is followed by a diff. */
const firstLine = (text: string) =>
  (text.split('\n')[0] ?? '').replace(
    /(spec\.template: |^)Invalid value: \{.*\}: field is immutable/,
    '$1template is immutable',
  );
