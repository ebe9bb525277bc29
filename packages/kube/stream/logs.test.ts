import { expect, test } from 'vitest';
import { answer, failure, startApi } from '../transport/api.fixture.ts';
import { createTransport } from '../transport/http.ts';
import { podLogBytes, podLogs } from './logs.ts';

const pod = { namespace: 'ns', name: 'web' };

test('lines come as they are written; the last may lack its newline', async () => {
  let more = (): void => undefined;
  await using api = await startApi((_, response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.write('one\ntw');
    more = () => {
      // A character in two pieces.
      response.write(Buffer.concat([Buffer.from('o\n'), Buffer.from('ü').subarray(0, 1)]));
      setImmediate(() => response.end(Buffer.concat([Buffer.from('ü').subarray(1), Buffer.from('\n\nlast')])));
    };
  });
  const transport = createTransport(api.config());
  const since = new Date('2026-01-02T03:04:05Z');
  const lines = podLogs(transport, pod, {
    follow: true,
    container: 'main',
    tailLines: 10,
    sinceTime: since,
    timestamps: true,
    previous: true,
  });
  expect(await lines.next()).toEqual({ done: false, value: 'one' });
  more();
  expect(await Array.fromAsync(lines)).toEqual(['two', 'ü', '', 'last']);
  expect(api.seen).toEqual([
    'GET /api/v1/namespaces/ns/pods/web/log?follow=true&container=main&tailLines=10&timestamps=true&previous=true&sinceTime=2026-01-02T03%3A04%3A05.000Z',
  ]);
  await transport.close();
});

test('bytes are passed on as they are', async () => {
  const bytes = Buffer.from([0, 255, 10, 128]);
  await using api = await startApi((_, response) => response.end(bytes));
  const transport = createTransport(api.config());
  expect(Buffer.concat(await Array.fromAsync(podLogBytes(transport, pod, { sinceSeconds: 5, limitBytes: 9 })))).toEqual(
    bytes,
  );
  expect(api.seen[0]).toContain('sinceSeconds=5&limitBytes=9');
  await transport.close();
});

test('a refusal is an error; an abort ends the follower', async () => {
  await using api = await startApi((_, response, count) => {
    if (count === 1)
      answer(
        response,
        400,
        failure(400, 'BadRequest', 'a container name must be specified for pod web, choose one of: [a b]'),
      );
    else response.writeHead(200).write('x\n');
  });
  const transport = createTransport(api.config());
  await expect(Array.fromAsync(podLogs(transport, pod))).rejects.toMatchObject({
    code: 'bad-request',
    message: expect.stringContaining('choose one of: [a b]'),
  });
  const controller = new AbortController();
  const lines = podLogs(transport, pod, { follow: true, signal: controller.signal });
  await lines.next();
  controller.abort();
  await expect(lines.next()).rejects.toMatchObject({ code: 'aborted' });
  await transport.close();
});
